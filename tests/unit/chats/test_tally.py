"""What a node may claim to have used."""

from app.domains.providers.chats.relay.chunks import TokenUsage, parse
from app.domains.providers.chats.relay.tally import ChunkTally
from tests.chatting import text


def tally(*words: str, usage: TokenUsage | None = None) -> TokenUsage:
    counted = ChunkTally(input_bound=100, output_bound=50)
    for word in words:
        counted.deliver(parse(text(word)))
    counted.count(usage)
    return counted.usage()


def test_what_was_counted_is_charged() -> None:
    assert tally("Hello", " world", usage=TokenUsage(9, 2)) == TokenUsage(9, 2)


def test_zero_is_a_number() -> None:
    assert tally("Hello", usage=TokenUsage(9, 0)) == TokenUsage(9, 0)


def test_without_a_count_four_bytes_are_a_token() -> None:
    assert tally("Hello", " world").completion_tokens == 3


def test_nobody_is_charged_for_more_tokens_than_bytes_and_a_few() -> None:
    assert tally("Hello", usage=TokenUsage(9, 1_000)).completion_tokens == 5 + 16


def test_nobody_is_charged_for_more_than_the_hold_covers() -> None:
    assert tally("x" * 400, usage=TokenUsage(1_000, 400)) == TokenUsage(100, 50)


def test_the_last_count_before_the_end_stands_when_there_is_no_final_one() -> None:
    counted = ChunkTally(100, 50)
    for number in (1, 2):
        usage = {"prompt_tokens": 9, "completion_tokens": number}
        counted.deliver(parse(text("word", usage=usage)))
    assert counted.usage() == TokenUsage(9, 2)


def test_reasoning_and_calls_of_tools_are_delivered_too() -> None:
    chunk = text("ab")
    chunk["choices"][0]["delta"] |= {
        "reasoning_content": "cd",
        "tool_calls": [{"index": 0, "function": {"arguments": "ef"}}],
    }
    assert parse(chunk).text_bytes == 6
