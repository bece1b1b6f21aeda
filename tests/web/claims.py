"""What the service claims about who learns what: each sentence, and the test that shows it.

A sentence is written here as `tests.web.sentences` takes it from its file: markup left out, what is filled in as `…`,
both sides of a condition one after the other. `test_claims.py` prints a sentence that is missing here in that form; add
it to `CLAIMS` under the test that shows it, or to `EXEMPT` under the reason why it claims nothing.
"""

from __future__ import annotations

import re

PRIVACY = re.compile(
    r"\b(?:alone|any(?:body|one)|backups?|cop(?:y|ies)|delet\w+|destroy\w+|every(?:body|one)|exports?|forget\w*|gone"
    r"|hid\w*|kept|keeps|know[ns]?|learns?|named|never|no (?:name|other|title|view)|nobody\w*|not shown|only|others?"
    r"|private\w*|reads?|remov\w+|seal\w*|secret\w*|sees?|seen|shown|silence|tells?|told|visible|who said|your name)\b",
    re.IGNORECASE,
)
"""Words by which a sentence speaks of who sees, learns or keeps something."""

_SECRECY = "web/test_secrecy.py::test_two_worlds_look_the_same_to_everybody_else"
_OUTCOME = "web/test_two_worlds.py::test_what_others_see_depends_on_the_outcome_alone"
_DESTROYED = "web/test_sealed.py::test_answers_lie_in_boxes_and_are_gone_once_the_outcome_is_in_force"
_KEY = "web/test_sealed.py::test_a_key_lives_as_long_as_answers_are_needed"
_OPEN = "web/test_sealed.py::test_names_are_told_only_if_every_one_agreed"
_NO = "web/test_changes.py::test_two_worlds_do_not_tell_who_said_no"
_CHANGE = "web/test_changes.py::test_a_title_that_shames_stays_with_those_it_is_about"
_CHANGE_PAGES = "web/test_changes.py::test_the_pages_of_a_change"
_ALL_ANSWER = "web/test_rounds.py::test_a_round_with_somebody_silent_is_a_function_of_the_first_outcome"
_LIMIT = "web/test_workflow.py::test_a_hard_limit_narrows_at_once_and_loosening_never_widens_what_was_decided"
_BOUND = "access/test_properties.py::test_no_lie_of_others_widens_the_audience_beyond_my_limit"
_MATRIX = "web/test_visibility.py::test_every_cell_agrees_with_the_naive_twin"
_CIRCLES = "web/test_circles.py::test_every_cell_agrees_with_the_naive_twin"
_HIDDEN = "web/test_changes.py::test_who_hid_their_name_is_named_to_nobody_else"
_ERASED = "web/test_claims.py::test_fault_5_what_somebody_said_and_added_is_gone_for_good"
_SILENCE = (
    "web/test_workflow.py::test_silence_keeps_it_among_the_co_owners_unless_a_line_counts_for_who_put_it_up"
)
_SILENT_MAJORITY = "web/test_claims.py::test_silence_keeps_it_among_them_also_where_two_thirds_decide"
_OPEN_STATES = (
    "web/test_workflow.py::test_while_anything_is_open_only_co_owners_see_it_and_nobody_sees_who_answered"
)
_WITHDRAWN = "web/test_workflow.py::test_withdrawing_takes_it_from_everybody_and_can_be_undone_for_minutes"
_EXPIRED = "web/test_workflow.py::test_expiry_closes_for_everybody_but_co_owners"
_NO_AGREEMENT = "web/test_workflow.py::test_no_common_choice_leaves_it_to_the_co_owners"
_METER = "web/test_sealed.py::test_the_meter_knows_no_more_than_the_uses_tell"
_MINE = "web/test_people.py::test_my_data_is_all_of_mine_and_nothing_of_others"
_CHECKED = "web/test_api.py::test_check_and_batch_agree_with_what_pages_show"
_WORDS = "access/test_sealed_words.py::test_all_sentences"
_FRESH = "web/test_passkeys.py::test_a_session_that_is_not_fresh_changes_no_way_to_sign_in"
_PASSKEYS_ALONE = "web/test_passkeys.py::test_an_account_lives_with_passkeys_alone_and_keeps_the_last"
_NOTHING_KEPT = "web/test_claims.py::test_what_is_tried_out_is_not_kept"

CLAIMS: dict[str, str] = {
    # account.html, admin.html, circles.html, first_steps.html
    "it is not shown again.": "web/test_claims.py::test_secrets_are_shown_once",
    "it holds no name, no title and no view.": "web/test_outbox.py::test_mail_says_what_sort_of_thing_happened_and_names_nobody",
    "All other sessions end then, and no other browser is known any more.": "web/test_devices.py::test_a_new_password_forgets_all_browsers_but_the_one_it_was_chosen_in",
    "If you forget your password, whoever runs the service can give you a link:": "web/test_accounts.py::test_a_reset_link_from_the_command_line_needs_neither_mail_nor_address",
    "Others who guess at your password do not make these browsers wait:": "web/test_devices.py::test_the_owner_of_an_attacked_name_signs_in_from_a_known_browser_and_from_elsewhere",
    "Nobody is signed in by that.": "web/test_devices.py::test_a_browser_is_known_from_its_first_sign_in_on_and_after_signing_out",
    "An administrator sees counts and accounts, suspends accounts and appoints other administrators, and never sees what people share or say.": "web/test_claims.py::test_the_admin_page_shows_nothing_that_is_shared_or_said",
    "Then we tell you there what needs you, and you can choose a new password by mail.": "web/test_ten_faults.py::test_fault_06_a_forgotten_password_can_be_reset",
    # passkeys.html, prove.html
    "This service keeps its public half, which opens nothing.": "web/test_takeovers.py::test_the_service_keeps_the_public_half_of_a_passkey_alone",
    "Passkeys work only where the service is reached by a name and over https.": "web/test_passkeys.py::test_passkeys_need_a_name_and_a_safe_connection",
    "Before you add or remove a way to sign in, confirm that it is you.": _FRESH,
    "Only somebody who has just shown who they are adds or removes a way to sign in, or lets somebody else in or be told.": "web/test_takeovers.py::test_a_session_that_is_not_fresh_plants_nothing_that_outlives_it",
    "So nobody can lock you out, or stay in, from a device you left open.": _FRESH,
    "who loses the only one has to ask for a link, by mail or from whoever runs this service.": "web/test_takeovers.py::test_who_lost_the_only_passkey_gets_in_by_a_link",
    "All other sessions end.": _PASSKEYS_ALONE,
    "Removed here.": _PASSKEYS_ALONE,
    "Your password is gone.": _PASSKEYS_ALONE,
    "That browser is not known any more.": "web/test_devices.py::test_browsers_are_listed_forgotten_and_end_with_everything_else",
    "Your answers, friendships, circles, words and what you added are removed for good.": _ERASED,
    "Things others added stay with them, without you;": "web/test_sealed.py::test_who_leaves_leaves_no_number_behind",
    "a limit you set on them goes on holding, and is nobody’s.": "web/test_sealed_faults.py::test_the_limit_of_who_left_goes_on_holding_and_is_nobodys",
    "What people share, and what they say about it, is not shown here.": "web/test_claims.py::test_the_admin_page_shows_nothing_that_is_shared_or_said",
    "The short name after the @ tells them apart.": "web/test_who.py::test_look_alikes_on_a_page_are_said_to_be_two",
    "No other member sees your circles.": _SECRECY,
    "They never see this.": _SECRECY,
    "If you skip it, your own wish counts alone.": "web/test_claims.py::test_who_listens_to_nobody_counts_alone",
    "Without it, nobody but the co-owners sees the thing.": _SILENT_MAJORITY,
    # change.html, propose.html
    "It takes effect when everybody who decides about this … has said yes.": "web/test_changes.py::test_what_all_say_yes_to_takes_effect_and_keeps_the_audience",
    "Until then all others see it as it is now.": _CHANGE,
    "Who has, you are not told.": _NO,
    "Nobody is told who said no:": _NO,
    "the others read only that the change ended.": _NO,
    "Nobody is told who said no.": _NO,
    "Everybody in it is told, with your name and with what would change;": _CHANGE,
    "Everybody in it was told;": _CHANGE,
    "it changes only when all of them have said yes.": "web/test_changes.py::test_what_all_say_yes_to_takes_effect_and_keeps_the_audience",
    "It changes only if all of you say yes.": "web/test_changes.py::test_what_all_say_yes_to_takes_effect_and_keeps_the_audience",
    "Nobody else decides about it yet, so it changes at once.": "web/test_changes.py::test_in_a_draft_and_alone_nobody_has_to_be_asked",
    "Nobody else had to be asked.": "web/test_changes.py::test_in_a_draft_and_alone_nobody_has_to_be_asked",
    "Only those who decide with you see it before it is agreed.": "web/test_changes.py::test_the_proposed_file_is_for_co_owners_alone_and_goes_with_the_proposal",
    "What it is called, what it says and how long it is shown is part of what all of you agree on.": _CHANGE,
    "once others are asked, changes are proposed.": _CHANGE,
    # friends.html, gallery.html, history.html, home.html
    "From the next click on neither of you sees what is only for friends of the other.": "web/test_visibility.py::test_an_ended_friendship_counts_from_the_next_request",
    "What is settled and open to everyone.": "web/test_lists.py::test_the_gallery_misses_nothing_that_the_naive_twin_sees",
    "Views are never part of it.": "web/test_claims.py::test_the_history_holds_no_views",
    "Download what this service keeps about me": "web/test_erasure.py::test_own_data_hold_all_of_ones_words",
    "Return what the service keeps about the token's owner, but for steps to undo, replies to repeat and hashes.": _MINE,
    "seen by nobody else seen by:": _WITHDRAWN,
    # how.html
    "Your answer is sealed:": _DESTROYED,
    "no other member can read it, not on a page, not in a mail, not in an export.": _SECRECY,
    "Until everybody has answered, or the time is over, nobody sees what comes out.": _OPEN_STATES,
    "When the outcome is in force, your answer is destroyed;": _DESTROYED,
    "where circles decide, when the thing is no longer shown.": "web/test_sealed_faults.py::test_where_circles_decide_answers_go_when_it_is_no_longer_shown",
    "They never see what you chose.": _SECRECY,
    "A hard limit cannot be moved by anybody:": _BOUND,
    "“never wider than friends” holds, however the others answer, and if you narrow it later it holds at the next click.": _LIMIT,
    "You read the outcome, and how far you would have gone yourself.": _WORDS,
    "Nothing we show adds to what the outcome itself tells:": _OUTCOME,
    "not who said no, not how many, not whether it was a limit.": _OUTCOME,
    "if every one of you ticked that names may be told, those whose answer could have led further are named to all of you.": _OPEN,
    "One exception, in open rounds alone:": "web/test_sealed.py::test_a_sealed_round_names_nobody_whatever_is_ticked",
    "The others see how far the thing goes then;": _LIMIT,
    "they are not told whose limit it is.": "web/test_sealed_faults.py::test_a_limit_set_later_does_not_tell_whose_it_is",
    "Such a round counts only if every one of you answers it;": _ALL_ANSWER,
    "So nobody’s silence ever lets a thing go further.": "web/test_rounds.py::test_silence_never_widens",
    # item.html, limit.html, parts.html
    "The round counts only if everybody answers it.": _ALL_ANSWER,
    "the round counts only if everybody answers.": _ALL_ANSWER,
    "the round counts only if all do.": _ALL_ANSWER,
    "Nobody was asked for a view yet.": "web/test_pages.py::test_a_draft_asks_for_no_view_until_it_is_opened",
    "Whoever has not answered by then keeps it among you, unless they said beforehand how far it may go.": _SILENCE,
    "You all agreed to this being told:": _OPEN,
    "This stays sealed.": _OPEN,
    "name hidden from people who neither decide with you nor were asked": _HIDDEN,
    "here only an earlier one, which holds at once and is told to all;": "web/test_changes.py::test_an_earlier_last_day_holds_at_once_and_is_told",
    "once others are asked, only an earlier moment than before.": "web/test_workflow.py::test_an_expiry_others_were_asked_with_is_only_brought_forward",
    "never wider than this, whatever the others say.": _BOUND,
    "Whatever the others say, never wider than this.": _BOUND,
    "Never wider than “…”": _BOUND,
    "Nobody is told that you set one:": _OUTCOME,
    "a limit reads like a no.": "access/test_sealed_words.py::test_a_refusal_and_a_limit_read_the_same",
    "Whatever the others say, nobody outside these circles of mine.": "access/test_circles.py::test_a_limit_holds_for_a_viewer_who_is_also_in_another_circle",
    "only the circles ticked here may ever see it": "access/test_circles.py::test_a_limit_names_the_circles_that_may_ever_see",
    "The widest audience, or the circles, that may ever see the item;": _LIMIT,
    "Document … by … name not shown · … · …": "web/test_who.py::test_fault_5_a_hidden_uploader_has_neither_name_nor_handle_nor_picture",
    # listening.html, my_view.html
    "They never see this, and no other member does.": _SECRECY,
    "For one photo, all the people in it who you listen to together never count more than nine tenths of your own wish.": "access/test_mediation.py::test_capped_peers_are_what_was_used",
    "For you alone:": _OUTCOME,
    "Nobody is told.": _OUTCOME,
    "what you said last time is destroyed, so nobody can remind you.": _DESTROYED,
    "Your answer is will be sealed.": _DESTROYED,
    "No other member can read it, now or later.": _SECRECY,
    "When the outcome is in force no longer , it is destroyed.": _KEY,
    "You can change it until everybody has answered or the time is over.": "web/test_workflow.py::test_a_view_may_be_replaced_until_the_round_closes_and_not_after",
    "If nothing wider is agreed, those whose answer could change that are named to all of you.": _OPEN,
    "Only if every one of you ticks this;": _OPEN,
    "else it stays sealed, and nobody learns who did not.": _OUTCOME,
    # new_item.html, petition.html, playground.html
    "Until it is decided, only those who said yes to being in it can see it.": _MATRIX,
    "Where a photo was taken, and with what, is removed.": "web/test_security.py::test_photos_lose_where_they_were_taken",
    "With fewer than four of you it is always everybody.": "web/test_sealed.py::test_two_thirds_count_from_four_on",
    "if nothing wider is agreed, those whose answer could change that are named to all of you, if every one of you is fine with that": _OPEN,
    "Everybody who decides with you will see that you would like more, and your words.": "web/test_workflow.py::test_the_story_of_the_thesis",
    "Answers stay sealed, and the round counts only if everybody answers it.": _ALL_ANSWER,
    "For less, nobody has to be asked:": _LIMIT,
    "Nothing is kept.": _NOTHING_KEPT,
    "Nothing of it is stored, and no stored answer is read.": "web/test_sealed.py::test_boxes_are_opened_in_few_places",
    "nothing of it is stored.": _NOTHING_KEPT,
    "nothing stored is touched": _NOTHING_KEPT,
    "In a real decision each sees the outcome, the own row, and what each would be told at the end of this page;": _OUTCOME,
    "the other rows are nobody else’s.": _OUTCOME,
    # receipt.html, register.html, sign_in.html, standing_line.html, tag_request.html, welcome.html
    "The service forgets it with your answer.": _DESTROYED,
    "no other member sees it.": "web/test_claims.py::test_an_address_is_shown_to_nobody_else",
    "the password is shown where the service was started.": "web/test_command_line.py::test_fault_10_a_demonstration_says_at_every_start_how_to_sign_in",
    "Then a thing goes as far as you say here, and never further, in the first round of what the friends below put up.": _SILENCE,
    "Anywhere else your silence keeps it among you.": _SILENT_MAJORITY,
    "It counts for nobody until you save it.": "web/test_sealed_faults.py::test_a_line_that_was_worked_out_counts_once_it_is_confirmed",
    "Nobody is ticked to begin with.": "web/test_claims.py::test_a_standing_line_counts_for_nobody_to_begin_with",
    "It was never used, so nobody can know anything about it.": "web/test_sealed.py::test_a_silent_person_tells_their_line_to_those_they_trust_and_nothing_to_others",
    "From … … all others together could know:": _METER,
    "your voice does not count, and only those who decide about it see that you were asked.": "web/test_claims.py::test_only_those_who_decide_see_that_somebody_was_asked",
    "Here everybody in it has a say, in secret, and nobody’s limit is overstepped.": _OUTCOME,
    "Nobody is in it without having said yes.": "web/test_tags.py::test_no_voice_before_consent_and_none_again_after_a_no",
    "only then does their voice count.": "web/test_tags.py::test_no_voice_before_consent_and_none_again_after_a_no",
    "No other member ever reads your answer.": _SECRECY,
    # phrases.py, notices.py
    "Your view is sealed.": _DESTROYED,
    "No other member can read it.": _SECRECY,
    "Nobody else sees it any more.": _WITHDRAWN,
    "taken back, nobody else sees it any more": _WITHDRAWN,
    "its time is over, only the co-owners see it": _MATRIX,
    "Something you share has expired, so only those who share it see it.": _MATRIX,
    "only the co-owners see it": _MATRIX,
    "only the co-owners see it.": _MATRIX,
    "You found no common audience, so only those who share it see it.": _MATRIX,
    "Your name is no longer shown to people who neither decide with you nor were asked by you.": _HIDDEN,
    "Your name is shown again.": _HIDDEN,
    "Your account is gone.": _ERASED,
    "the sealed answers were destroyed": _DESTROYED,
    "the sealed answers were lost, so everybody was asked again": "web/test_sealed.py::test_a_lost_key_asks_an_open_round_again_and_leaves_what_was_decided",
    "everything was sealed": "web/test_sealing_up.py::test_nothing_is_left_in_the_clear_after_sealing",
    "Who is named in “{title}” has changed.": "web/test_changes.py::test_nobody_is_named_anew_in_silence",
    "Who is named in something you share has changed.": "web/test_changes.py::test_nobody_is_named_anew_in_silence",
    "nobody but the co-owners": _MATRIX,
    "anybody, also people without an account": _MATRIX,
    "people in nobody’s circle do not see it": _CIRCLES,
    "people in nobody’s circle see it, too": _CIRCLES,
    "nobody was asked for a view yet": "web/test_pages.py::test_a_draft_asks_for_no_view_until_it_is_opened",
    "read what you can read on the pages, but for your own answers": "web/test_scopes.py::test_nothing_read_without_that_scope_depends_on_own_answers",
    "read your own answers:": "web/test_scopes.py::test_the_scope_for_answers_holds_nothing_else",
    "Needs both scopes, read and answers.": "web/test_scopes.py::test_own_answers_need_their_own_scope",
    # the interface, and what is said about outcomes
    "The answer holds everybody's settled scores:": "web/test_api.py::test_mediate_is_the_engine",
    "`reasons` holds for each person what may be told to that person.": "access/test_sealed_words.py::test_reasons_are_made_of_the_own_answer_and_the_outcome",
    "Say whether the token's owner may see an item now.": _CHECKED,
    "Say which of up to 1,000 items the token's owner may see now.": _CHECKED,
    "Whether the item may be seen;": _CHECKED,
    "Those that may be seen, in the order of the question.": _CHECKED,
    "Return items the owner may see, newest first;": _CHECKED,
    "Return an item as the owner sees it;": _CHECKED,
    "The words of a petition, read by all co-owners, and how far the item should go:": "web/test_workflow.py::test_the_story_of_the_thesis",
    "It was proposed, and whether it is in effect already, since nobody else decides.": "web/test_changes.py::test_the_interface_of_a_change",
    "needs the scope answers, and nobody can read another's.": _SECRECY,
    "You are the only owner, so your own choice holds:": "web/test_workflow.py::test_a_single_owners_choice_is_in_force_at_once",
    "No decision yet, so nobody but you sees it:": "access/test_guidance.py::test_advice_is_for_the_keeper_and_everybody_reads_the_same",
    # passkeys.html, prove.html, confirm.html, one-time links
    "Who has answered is told to nobody.": _OPEN_STATES,
    # files
    "A PDF keeps what its pages show:": "web/test_pdf_cleaning.py::test_pages_keep_their_measures_their_words_and_their_pictures",
    "its author, attachments, scripts and links are removed.": "web/test_pdf_cleaning.py::test_nothing_that_was_planted_comes_out",
    "With so few of you the outcome itself tells.": "access/test_sealed_words.py::test_few_are_told_that_the_outcome_tells",
    "The operator’s machine reads answers until they are destroyed.": _KEY,
    "The machine of whoever runs this service reads answers until they are destroyed:": _KEY,
    "everybody will see that I would like more": "web/test_workflow.py::test_the_story_of_the_thesis",
    "signed with your name": "web/test_workflow.py::test_the_story_of_the_thesis",
    "do what you can do on the pages, in your name": "web/test_api.py::test_tokens_do_what_they_may_and_no_more",
    "ask whether you may see items": "web/test_api.py::test_tokens_do_what_they_may_and_no_more",
    "Every photo and document your name is on, and who sees it now.": "web/test_lists.py::test_lists_say_what_the_items_say_after_every_step",
    "Shown to this viewer:": _CIRCLES,
    "Not shown to this viewer:": _CIRCLES,
}
"""A sentence, and the test that shows it: its file under `tests/`, and its name."""

EXEMPT: dict[str, list[str]] = {
    "a heading, a label, a link or a button": [
        "The secret that signs these messages.",
        "Browsers that know you",
        "Waiting for the others Waiting for your view",
        "What an outcome tells, however it is sealed",
        "Sealed means:",
        "Remove",
        "Remove my password",
        "to know it again in this list",
        "removed a passkey",
        "Other ways to sign in",
        "since …, last seen …",
        "Tell another service (webhooks)",
        "https only",
        "Delete the account",
        "Delete my account",
        "What you are told",
        "You listen to some people more than to others",
        "Want to see the numbers?",
        "Ask everybody for their view",
        "Ask everybody to let it go further",
        "Seen by now",
        "Only us",
        "Shown until",
        "Last day it is shown",
        "My hard limit Undo my last step Hide my name Show my name Withdraw it",
        "Who may see it, as far as you are concerned?",
        "everybody who is in none of your circles …",
        "Seal my view",
        "what it shows, also for people who cannot see it;",
        "friends, friends of friends, everyone",
        "Person by person, by everybody’s circles",
        "Ask everybody",
        "Mark all as read",
        "Your words to everybody",
        "Remove the last",
        "What other rules would say",
        "What each would be told",
        "not alone with … point…, to “…”",
        "Your name",
        "as your friends know you",
        "What others could know",
        "Who may see it?",
        "Everybody gives their view",
        "Everyone?",
        "Say who may see it",
        "Everyone is fine",
        "people in nobody’s circle",
        "only us",
        "not shown",
        "Your name is on nothing yet.",
        "Nobody yet.",
    ],
    "advice to the reader, or a question; it promises nothing": [
        "Copy it now;",
        "Forget one that is not yours any more.",
        "Delete it on your device too, so that it is not offered any more.",
        "remove it if that was not you",
        "Sign in to see whether you may see this.",
        "Tell me by mail when something happens that concerns me.",
        "Ask somebody above, or tell people your short name.",
        "Perhaps you would not mind everyone seeing a photo, but your sister would, and that matters to you.",
        "Things that several people share should be shown to whom they all can live with.",
        "find some, or go on alone.",
        "to sign in with, to tell you what happened, and for a new password.",
        "Usually whoever uploads it decides alone.",
        "Ask everybody.",
        "For more, you can ask everybody, in your own name.",
        "you have not answered this round, or your answer is destroyed already.",
    ],
    "an admission: it says what is not hidden, or not in our hands": [
        "Backups that whoever runs this service made before last until they are removed.",
        "With two of you, that itself tells.",
        "If it is less than you wanted, somebody else did not say yes;",
        "with two of you the other one, with more of you at least one.",
        "Those who all wanted more and compare notes can know the no of the last one.",
        "An outcome tells, however it is sealed.",
        "with two of you that is the other one.",
        "Somebody who may see a photo can keep a copy.",
        "Narrowing the audience later does not reach copies.",
        "Sealed answers and few rounds make that hard to profit from, and hard limits bound what it can do to you.",
        "Whatever is sealed, the outcome itself tells each of you what the other one said, if it is less than you wanted.",
        "The fewer you are, the more an outcome itself tells.",
        "Whoever has it can read it.",
    ],
    "how a decision is made or what was done, not who learns of it": [
        "the widest audience that everybody, or two thirds of you if you agreed on that, can accept.",
        "If you say yes, you decide with the others who may see it.",
        "Then you have a say in who may see it.",
        "If you say yes, you can look at it and you decide with the others who may see it.",
        "it could have gone further.",
        "Everybody was asked for their view.",
        "You decide alone … of you decide together , in round … .",
        "Everybody was asked to let it go further.",
        "everybody is asked for their view",
        "asked everybody for their view",
        "changed until when it is shown",
        "hid the name",
        "had another service told",
        "Something you share is shown for a shorter time than before.",
        "You yourself would have gone as far as ….",
        "You yourself would have shown it.",
        "On your own you would not have shown it.",
        "your mutual consideration keeps growing and never settles.",
        "It does once you listen a little less to each other.",
    ],
    "what a call of the interface takes or does": [
        "When it stops being shown",
        "Shown without an end",
        "Begin a request that reads:",
        "Begin a request that reads, and say for whom.",
        "Mark all notifications as read.",
        "A body whose every field is known:",
        "Ask everybody, for so many days.",
        "null removes it.",
        "a step, unless told.",
        "Yes or no to a proposed change, by the id under which it was read.",
        "When the item stops being shown;",
        "null for never.",
        "Say when the item stops being shown;",
        "Ask everybody for their view.",
        "Seal the owner's view.",
        "Ask everybody to let it go further.",
        "agree with the outcome, claim to be in it, hide or show the own name, undo, withdraw.",
        "theta alone means majority",
        "Whether to ask if names may be told when nothing wider is agreed",
    ],
}
"""Sentences with such a word that claim nothing about who learns what, by the reason."""
