"""Broken scenario files, each with the whole message that it gets."""

from __future__ import annotations

from pathlib import Path

import pytest

from mockrelay.scenario import ScenarioError, load

FOLDER = Path(__file__).with_name("broken")
AMOUNT = 'an amount in the smallest unit, digits in quotes such as "1000"'
STATES = "a duration such as 15s (units ms, s, m, h, d) or {blocks: n} or {polls: n} or hand"
NO_ANCHORS = "the value itself: a scenario has no anchors"
OUTSIDE = "which leaves the scenario's folder; meant a file in it or below it"
TOKEN = "0xbbbbca6a901c926f240b89eacb641d8aec7aeafd"


def unquoted(word: str, what: str, meant: str | None = None) -> str:
    return f'found {word} without quotes, which YAML takes for {what}; meant "{meant or word}"'


MESSAGES = {
    # Words that are booleans to some readers.
    "no_is_no_boolean": "4:29: found 'no'; meant true or false",
    "on_is_no_boolean": "5:13: found 'on'; meant true or false",
    "limits_on": "3:9: found 'on'; meant off, or a map of endpoint names to numbers",
    "yes_as_a_drop": "4:30: found 'yes'; meant true",
    # Numbers that are something else to some readers.
    "address_without_quotes": "4:20: " + unquoted(TOKEN, "a number in base 16"),
    "octal": "3:16: " + unquoted("010", "a number in base 8"),
    "exponent": "5:21: " + unquoted("1e18", "a number with an exponent", "1000000000000000000"),
    "base_60": "4:17: " + unquoted("12:30", "a number in base 60"),
    "date": "3:16: " + unquoted("2026-01-01", "a date", "2026-01-01T00:00:00Z"),
    "moment_without_quotes": "4:10: " + unquoted("2026-01-01T00:00:00Z", "a date"),
    "underscores": "3:24: " + unquoted("1_000", "a number in an odd spelling"),
    "fraction": "4:72: " + unquoted("1.3", "a number with a fraction"),
    "number_too_large": "3:7: " + unquoted("9007199254740993", "a number that not every reader holds exactly"),
    "money_as_a_number": f"4:33: found the number 1000000; meant {AMOUNT}",
    # Keys.
    "repeated_key": "6:3: found the key 'http.error_status' again (first in line 4); meant each key once",
    "repeated_section": "5:1: found the key 'limits' again (first in line 3); meant each key once",
    "unknown_section": "3:1: found the unknown key 'acounts'; meant 'accounts'",
    "unknown_key": "4:19: found the unknown key 'balence'; meant 'balances'",
    "key_that_is_a_number": "4:14: found the number 1 as a key; meant a name, in quotes if need be",
    "key_that_is_a_list": "3:3: found a list as a key; meant a name, in quotes if need be",
    # Anchors, aliases, tags.
    "anchor": f"5:12: found &rich; meant {NO_ANCHORS}",
    "alias": f"3:8: found *none; meant {NO_ANCHORS}",
    "alias_bomb": f"3:4: found &a; meant {NO_ANCHORS}",
    "merge_key": (
        "5:5: found the unknown key '<<'; meant one of name, accountId, owner, apiKey, publicKeyX, publicKeyY, "
        "eddsaKey, keySeed, layer1Key, derived, keyNonce, accountNonce, ..."
    ),
    "tag": "3:7: found the tag tag:yaml.org,2002:python/object/apply:os.system; meant the value without a tag",
    "bare_tag": "3:7: found the tag !; meant the value without a tag",
    # What is extended.
    "out_of_the_folder": f"2:10: found the path '../world_w.yaml', {OUTSIDE}",
    "absolute_path": f"2:10: found the path '/etc/scenario.yaml', {OUTSIDE}",
    "no_such_base": "2:10: found no such file; meant a scenario file",
    "no_file_name": r"2:10: found the path 'a\x00b.yaml', which no file can have; meant a scenario file",
    "unknown_base": "2:10: found the scenario 'defualt', which is not shipped; meant 'default', or a path",
    "nothing_extended": "1:1: found no 'exchange'; meant the section exchange, or `extends: default`",
    # Files.
    "second_document": "3:1: found a second document; meant one scenario a file",
    "not_utf_8": "3:10: found bytes that are no UTF-8; meant a file in UTF-8",
    "utf_16": "1:2: found a character that YAML does not allow; meant printable text",
    "byte_order_mark": "3:16: found '1'; meant a whole number from 0 to 10000, without quotes",
    "crlf": "3:16: found the number -1; meant a whole number from 0 to 10000",
    "tab": "4:1: found a tab; meant blanks: YAML takes nothing else at the start of a line",
    "unclosed": "4:5: found broken YAML: did not find expected ',' or '}'; meant valid YAML",
    "control_character": "3:8: found a character that YAML does not allow; meant printable text",
    "too_deep": "3:40: found values nested more than 32 deep; meant a scenario",
    "empty": "1:1: found nothing; meant a scenario, which starts with `format: 1`",
    "only_a_comment": "1:1: found nothing; meant a scenario, which starts with `format: 1`",
    "a_list": "1:1: found a list; meant a map",
    "no_format": "1:1: found no 'format'; meant `format: 1` at the top",
    "newer_format": "1:9: found the number 2; meant 1, the format that this version reads",
    # Values.
    "unknown_option": "3:23: found 'keeep'; meant one of finish, keep",
    "option_without_quotes": '3:30: found the number 400; meant one of split, "400", "200"',
    "order_that_trades": (
        "5:5: found an order that would trade at once; meant a price that rests beside the others in LRC-ETH"
    ),
    "order_beyond_the_balance": "5:5: found an order that sells 6 wei of LRC; meant at most the 5 that are free",
    "account_twice": "5:12: found the name dave again (first at FOLDER/account_twice.yaml:4:12); meant each name once",
    "id_twice": "5:29: found the accountId 4 again (first at FOLDER/id_twice.yaml:4:29); meant each accountId once",
    "fault_on_nothing": "4:10: found 'submit_oder'; meant 'submit_order'",
    "two_faults_in_one": "6:5: found 'status' beside 'code'; meant one of them: a fault does one thing",
    "duration_without_unit": f"3:47: found the number 15; meant {STATES}",
    "unknown_verb": "4:20: found the unknown verb 'cancle'; meant 'cancel'",
    "unknown_decision": "4:11: found the unknown key 'due.oder'; meant 'due.order'",
}
"""Place and message, after the file's own name."""

ELSEWHERE = {
    "broken_base": "octal.yaml:3:16: " + unquoted("010", "a number in base 8"),
    "circle": (
        "circle_back.yaml:2:10: found a circle: FOLDER/circle.yaml > FOLDER/circle_back.yaml > FOLDER/circle.yaml; "
        "meant a scenario that does not lead back here"
    ),
    "circle_back": (
        "circle.yaml:2:10: found a circle: FOLDER/circle_back.yaml > FOLDER/circle.yaml > FOLDER/circle_back.yaml; "
        "meant a scenario that does not lead back here"
    ),
}
"""Of files whose mistake is in one that they extend: that one's name, place and message."""


def refusal(name: str) -> str:
    with pytest.raises(ScenarioError) as caught:
        load(FOLDER / f"{name}.yaml")
    return str(caught.value)


@pytest.mark.parametrize("name", MESSAGES)
def test_the_message_says_where_what_was_found_and_what_was_meant(name: str) -> None:
    message = MESSAGES[name].replace("FOLDER", str(FOLDER))
    assert refusal(name) == f"{FOLDER / name}.yaml:{message}"


@pytest.mark.parametrize("name", ELSEWHERE)
def test_the_message_names_the_file_that_made_the_mistake(name: str) -> None:
    assert refusal(name) == f"{FOLDER}/{ELSEWHERE[name]}".replace("FOLDER", str(FOLDER))


def test_each_broken_file_is_here() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == {*MESSAGES, *ELSEWHERE}
