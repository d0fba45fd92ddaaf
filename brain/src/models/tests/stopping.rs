//! Calls that end before their answer.

use ::tests::fake_provider::{Fault, Outcome, Recorded};
use api_types::error::ErrorCode;

use super::*;

const PATIENCE: Duration = Duration::from_secs(10);

/// The fake has seen that the client closed the connection.
async fn closed(bench: &Bench) -> bool {
    let closed = |all: &[Recorded]| {
        all.last().is_some_and(|request| request.outcome == Outcome::ClosedByClient)
    };
    bench.fake.log().wait(PATIENCE, closed).await
}

fn hang(after_chunks: Option<usize>) -> Reply {
    Reply::text("never whole").with_fault(Fault::Hang { after_chunks })
}

#[tokio::test]
async fn cancelling_closes_the_connection() {
    for model in DIALECTS {
        for silence in [None, Some(1)] {
            let bench = Bench::new([hang(silence)]).await;
            let cancel = bench.ctx.cancel.clone();
            let stop = async {
                if silence.is_some() {
                    bench.seen.changed.notified().await;
                } else {
                    assert!(bench.fake.log().wait(PATIENCE, |all| !all.is_empty()).await);
                }
                cancel.cancel();
            };
            let (answer, ()) = tokio::join!(bench.ask(model), stop);
            assert_eq!(answer.unwrap_err().code(), ErrorCode::Cancelled, "{model} {silence:?}");
            assert!(closed(&bench).await, "{model} {silence:?}: the connection stays open");
            assert_eq!(bench.fake.log().all().len(), 1, "{model}: not tried again");
        }
    }
}

#[tokio::test]
async fn cancelling_ends_a_wait_between_attempts() {
    let overloaded = Fault::Status { status: 529, retry_after: Some("4.5".into()), body: None };
    let bench = Bench::new([Reply::fault(overloaded)]).await;
    let stop = async {
        let ended = |all: &[Recorded]| all.iter().any(|request| request.outcome == Outcome::Broken);
        assert!(bench.fake.log().wait(PATIENCE, ended).await);
        bench.ctx.cancel.cancel();
    };
    let (answer, ()) = tokio::join!(bench.ask(DIALECTS[0]), stop);
    assert_eq!(answer, Err(Error::Cancelled));
}

#[tokio::test]
async fn the_deadline_closes_the_connection() {
    for model in DIALECTS {
        let mut bench = Bench::new([hang(Some(1))]).await;
        bench.ctx = bench.ctx.within(Duration::from_millis(400));
        let error = bench.ask(model).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::Timeout, "{model}: {error}");
        assert!(closed(&bench).await, "{model}: the connection stays open");
    }
}

#[tokio::test]
async fn no_attempt_is_waited_for_that_the_deadline_would_end() {
    let overloaded = Fault::Status { status: 503, retry_after: Some("5".into()), body: None };
    let mut bench = Bench::new([Reply::fault(overloaded)]).await;
    bench.ctx = bench.ctx.within(Duration::from_millis(4500));
    let error = bench.ask(DIALECTS[0]).await.unwrap_err();
    assert!(matches!(error, Error::Failed { attempts: 1, .. }), "{error}");
}

#[tokio::test]
async fn silence_is_given_a_second_chance_and_then_named() {
    for model in DIALECTS {
        for silence in [None, Some(1)] {
            let quick = |config: &mut Config| {
                config.timeouts.first_byte = Duration::from_millis(40);
                config.timeouts.idle = Duration::from_millis(40);
            };
            let bench = Bench::with(vec![hang(silence); 2], quick).await;
            let error = bench.ask(model).await.unwrap_err();
            assert!(matches!(error, Error::Silent { attempts: 2, .. }), "{model}: {error}");
            assert_eq!((error.code(), error.retryable()), (ErrorCode::Timeout, true));
        }
    }
}

#[tokio::test]
async fn connections_are_used_again() {
    let bench = Bench::new([]).await;
    for model in DIALECTS.repeat(5) {
        bench.ask(model).await.unwrap();
    }
    let ports: std::collections::HashSet<_> =
        bench.fake.log().all().iter().map(|request| request.peer_port).collect();
    assert_eq!(ports.len(), 2, "one connection for each provider");
}
