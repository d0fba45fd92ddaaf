use api_types::frames::Empty;

use super::*;
use crate::exit::Exit;
use crate::testing::*;

async fn open(brain: &FakeBrain, retry: Duration) -> (Link, Peer) {
    let (link, peer) = tokio::join!(Link::open(brain.settings(), retry), brain.accept());
    (link.unwrap(), peer)
}

async fn frame(link: &mut Link) -> Body {
    loop {
        match link.next().await.unwrap() {
            Next::Frame(incoming) if matches!(incoming.body, Body::Event(Event::Welcome(_))) => {}
            Next::Frame(incoming) => return incoming.body,
            next => panic!("{next:?}"),
        }
    }
}

#[tokio::test]
async fn a_lost_brain_is_given_up_after_the_time() {
    let brain = FakeBrain::start().await;
    let (mut link, peer) = open(&brain, Duration::from_millis(300)).await;
    drop((peer, brain));
    let error = loop {
        match link.next().await {
            Ok(_) => {}
            Err(error) => break error,
        }
    };
    assert_eq!(error.exit(), Exit::Unreachable);
    assert!(error.to_string().contains("lost the brain"), "{error}");
}

#[tokio::test]
async fn requests_are_answered_in_any_order() {
    let brain = FakeBrain::start().await;
    let (mut link, mut peer) = open(&brain, Duration::from_secs(1)).await;
    let first = link.request(ClientFrame::SessionUnbind(Empty {}));
    let second = link.request(ClientFrame::ProcessList(Empty {}));
    let answers = async {
        let (one, _) = peer.hear().await;
        let (two, _) = peer.hear().await;
        peer.reply(&two, ReplyFrame::SessionUnbind(Empty {})).await;
        peer.reply(&one, ReplyFrame::SessionUnbind(Empty {})).await;
    };
    let heard = async { (frame(&mut link).await, frame(&mut link).await) };
    let (heard, ()) = tokio::join!(heard, answers);
    let (Body::Reply(a, _), Body::Reply(b, _)) = heard else { panic!("{heard:?}") };
    assert_eq!((a, b), (second, first));
}

#[tokio::test]
async fn another_protocol_is_refused() {
    let brain = FakeBrain::start().await;
    let (link, mut peer) = open(&brain, Duration::from_secs(1)).await;
    let mut link = link;
    assert!(matches!(link.next().await, Ok(Next::Frame(_))));
    let welcome = api_types::frames::Welcome {
        user_id: "jane".parse().unwrap(),
        tenant_id: "acme".parse().unwrap(),
        editor_id: String::new(),
        server: api_types::frames::ServerInfo {
            version: "9".to_owned(),
            protocol_version: 9,
            ping_interval: 1,
            capabilities: Vec::new(),
        },
    };
    peer.push(None, Event::Welcome(welcome)).await;
    let error = link.next().await.unwrap_err().to_string();
    assert!(error.contains("version 9"), "{error}");
}

#[tokio::test]
async fn a_slow_reconnect_survives_who_looks_away() {
    let brain = FakeBrain::start().await;
    let (mut link, peer) = open(&brain, Duration::from_secs(10)).await;
    drop(peer);
    let answer = link.request(ClientFrame::ProcessList(Empty {}));
    let serve = async {
        let stream = brain.accept_tcp().await;
        // Longer than anybody looks at a time.
        tokio::time::sleep(Duration::from_millis(60)).await;
        let mut peer = brain.welcome(stream).await;
        let (id, _) = peer.hear().await;
        peer.reply(&id, ReplyFrame::SessionUnbind(Empty {})).await;
        peer
    };
    let look = async {
        loop {
            tokio::select! {
                next = link.next() => {
                    if let Next::Frame(incoming) = next.unwrap()
                        && let Body::Reply(to, _) = incoming.body
                    {
                        return to;
                    }
                }
                () = tokio::time::sleep(Duration::from_millis(10)) => {}
            }
        }
    };
    let both = async { tokio::join!(look, serve) };
    let (to, _peer) = tokio::time::timeout(Duration::from_secs(5), both).await.unwrap();
    assert_eq!(to, answer);
}
