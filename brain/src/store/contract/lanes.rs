//! What every adapter of the lanes' ports does.

mod closing;
mod commits;
mod creation;
mod faults;
mod fixture;
mod history;
mod inbox;
mod limits;
mod logs;
mod outbox;
mod owners;
mod reading;
mod sweeping;
mod tenants;

use closing::*;
use commits::*;
use creation::*;
use faults::*;
use inbox::*;
use limits::*;
use logs::*;
use outbox::*;
use owners::*;
use reading::*;
use sweeping::*;
use tenants::*;

use crate::lanes::store::{Own, Read, Send, Sweep};

/// An adapter of all ports of lanes.
trait Lanes: Read + Send + Own + Sweep {}

impl<T: Read + Send + Own + Sweep> Lanes for T {}

super::suite![
    // owners
    an_old_owners_last_write_is_seen_by_the_new_one,
    a_new_owner_fences_the_old_one,
    a_write_and_a_takeover_at_once_leave_one_writer,
    only_a_dead_owner_is_replaced,
    the_owner_may_take_its_lane_again,
    one_of_many_contenders_wins,
    a_released_lease_is_worth_nothing,
    a_stale_release_is_ignored,
    an_open_turn_is_handed_over,
    // commits
    the_same_commit_twice_happens_once,
    a_commit_repeated_after_a_takeover_answers_its_receipt,
    a_receipt_tells_whether_a_commit_happened,
    a_forgotten_receipt_is_never_taken_for_no,
    a_commit_on_another_tail_changes_nothing,
    the_log_is_dense,
    a_commit_without_a_head_keeps_it,
    messages_are_claimed_and_settled,
    a_claim_of_a_message_that_is_gone_changes_nothing,
    nothing_is_settled_twice,
    // closing
    closing_discards_what_is_left,
    a_closed_process_takes_no_messages,
    a_known_key_is_answered_after_the_close,
    enqueue_and_close_at_once_leave_nothing_queued,
    // creation
    creating_again_changes_nothing,
    a_name_is_taken_once_in_a_session,
    creating_at_once_makes_one_lane,
    // inbox
    messages_keep_their_order_and_class,
    the_same_key_at_once_adds_one_message,
    the_same_key_in_one_call_adds_one_message,
    a_queued_message_can_be_taken_back,
    // limits
    an_inbox_has_a_limit_and_room_for_control,
    an_inbox_takes_messages_all_or_none,
    a_full_inbox_is_claimed_in_one_commit,
    a_head_has_a_limit,
    an_entry_has_a_limit,
    a_commit_has_a_limit,
    a_message_has_a_limit,
    // logs
    views_choose_entries,
    a_log_is_read_in_parts,
    entries_before_the_retained_ones_are_gone,
    the_newest_chat_comes_oldest_first,
    // reading
    a_reader_never_sees_an_entry_before_the_one_before_it,
    lanes_of_a_session_come_in_pages,
    // outbox
    a_message_to_itself_is_queued_by_the_commit,
    fifty_outboxes_reach_one_lane_once,
    a_sender_keeps_its_order,
    commits_without_entries_deliver_too,
    messages_to_nobody_are_dropped,
    a_full_receiver_gets_its_message_later,
    // sweeping
    idle_and_owned_lanes_are_left_alone,
    queued_open_and_due_lanes_are_found,
    a_parked_turn_waits_for_its_answer,
    lanes_of_dead_nodes_are_found,
    closed_lanes_are_never_runnable,
    // tenants
    another_tenants_lane_does_not_exist,
    the_same_id_in_two_tenants_is_two_lanes,
    // faults
    every_lost_answer_is_resolved_by_id,
    an_outage_changes_nothing,
    a_turn_survives_any_plan_of_faults,
];
