"""What names and texts are about: hits, and the near misses that would be false alarms."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from magic_tools.tools.lint import terms

NAMES: dict[str, tuple[Callable[[str], bool], str, str]] = {
    "measures": (
        terms.is_measure,
        (
            "duration timeout maxWeight interval ttl memory file_size radius 时长 最大距离 durations latencies "
            "timestamp createdAt 时间戳"
        ),
        (
            "limit count page page_size batchSize max_results age user_id order_number depth top_k score rating "
            "price unit_price 金额 at epochs format stat attribute year area_code retries quantity offset threshold "
            "priority 数量 年龄 页码"
        ),
    ),
    "money": (
        terms.is_money,
        (
            "price prices fees total_costs max_price price_eur amount total totalCost cost_per_month salary_range "
            "budget 单价 总金额"
        ),
        (
            "price_ratio tax_rate cost_center total_count total_seconds amount_ml total_weight tip_percent payment_id "
            "price_level balance_factor precious 比价格更重要的数量"
        ),
    ),
    "dates": (
        terms.is_date,
        (
            "date start_date endDate created_at updatedAt due_on since until deadline birthday time start_time day "
            "month timestamp 开始日期 截止时间"
        ),
        (
            "update candidate mandate timezone time_zone date_format day_of_week time_unit depends_on based_on runtime "
            "to created_by start end daytime 时区 日期格式"
        ),
    ),
    "identifiers": (
        terms.is_identifier,
        "id user_id orderId ids order_number postcode seed 商品编号",
        "number identity paid grid count limit page x y z",
    ),
    "cursors": (
        terms.is_cursor,
        "cursor next_cursor page_token nextPageToken continuation_token 游标",
        "token access_token cursor_size page next precursor_name",
    ),
}
CASES = [
    (kind, name, hit)
    for kind, (_, hits, misses) in NAMES.items()
    for side, hit in ((hits, True), (misses, False))
    for name in side.split()
]


@pytest.mark.parametrize(("kind", "name", "hit"), CASES)
def test_what_a_name_is_of(kind: str, name: str, hit: bool) -> None:
    """A name is of a kind by its words, never by letters inside a word."""
    assert NAMES[kind][0](name) is hit


@pytest.mark.parametrize(
    ("name", "text", "has"),
    [
        ("timeout_s", "", True),
        ("timeoutMs", "", True),
        ("size_mb", "", True),
        ("s", "", False),
        ("min_size", "", False),
        ("x", "In minutes.", True),
        ("x", "The weight in kg", True),
        ("x", "in m", True),
        ("x", "From 0 to 100 %", True),
        ("x", "How many there are", True),
        ("x", "in the shop's currency", True),
        ("x", "1 到 20 秒", True),
        ("x", "价格（元）", True),
        ("x", "天数", True),
        ("x", "速度", False),
        ("x", "天气", False),
        ("x", "人的年龄", False),
        ("x", "from 1 to 20", False),
        ("x", "0 is deterministic, 2 is wild", True),
        ("x", "1 = slow, 5 = fast", True),
        ("x", "0 表示关闭，1 表示全开", True),
        ("x", "up to 20 is allowed", False),
        ("x", "in nights", True),
        ("x", "In Swiss francs", True),
        ("x", "the longest that is allowed", False),
        ("x", "", False),
    ],
)
def test_units(name: str, text: str, has: bool) -> None:
    """A unit stands in the name or the text as a word, short ones only where they can be nothing else."""
    assert terms.has_unit(name, text) is has


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("as in 2026-11-29", True),
        ("HH:MM, as in 12:30", True),
        ("11/29", True),
        ("YYYYMMDD", True),
        ("ISO 8601", True),
        ("2026年11月", True),
        ("the first day", False),
        ("1 to 20", False),
        ("", False),
    ],
)
def test_how_a_date_is_written(text: str, shown: bool) -> None:
    """An example, a pattern of letters or the name of a standard shows it."""
    assert terms.shows_date(text) is shown


@pytest.mark.parametrize(
    "text",
    [
        "Pass it on unchanged.",
        "Send it back as is.",
        "Use it exactly as it came.",
        "An opaque mark.",
        "Do not change it.",
        "It must not be modified.",
        "Never alter it.",
        "原样传入",
        "不要修改",
        "Copy it exactly from the previous result.",
        "Copied from the last answer.",
    ],
)
def test_kept_unchanged(text: str) -> None:
    """There is more than one way to say that a cursor is passed on as it came."""
    assert terms.KEPT_UNCHANGED.search(text)
    assert not terms.KEPT_UNCHANGED.search(
        "Take it from the last answer. Where the next page begins; changes with every call."
    )


@pytest.mark.parametrize(
    "text",
    [
        "Not for forecasts.",
        "not meant for lists",
        "Do not use it for lists.",
        "For closed ones use list_closed.",
        "Never call it twice.",
        "Take the other one instead.",
        "不用于查询订单",
        "不要用于退款",
        "请使用 get_order",
        "请改用另一个",
        "Avoid for large files.",
        "Avoid using it for lists.",
        "Unsuitable for lists.",
        "It does not cover refunds.",
        "Otherwise use the other one.",
        "For everything else there is the other one.",
        "不能查历史订单",
        "不支持退款",
        "仅用于查询库存，其他情况使用另一个",
    ],
)
def test_not_for(text: str) -> None:
    """There is more than one way to say what a tool is not for."""
    assert terms.NOT_FOR.search(text)
    assert not terms.NOT_FOR.search("Search for notes; used by many. 用于查询订单，使用关键词。")


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("user", "user"),
        ("users", "user"),
        ("userId", "user"),
        ("current_user_name", "user"),
        ("用户编号", "user"),
        ("当前用户", "user"),
        ("租户标识", "tenant"),
        ("organisation_id", "tenant"),
        ("is_admin", "role"),
        ("isSuperuser", "role"),
        ("permissions", "permission"),
        ("price", "price"),
        ("price_cents", "price"),
        ("unit_price_eur", "price"),
        ("商品价格", None),
        ("customer_id", "customer"),
        ("clientNumber", "customer"),
        ("account_id", "account"),
        ("客户编号", "customer"),
        ("customer", None),
        ("customer_name", None),
        ("account", None),
        ("user_agent", None),
        ("max_price", None),
        ("用户反馈", None),
        ("administrate", None),
        ("id", None),
        ("", None),
        ("_", None),
    ],
)
def test_identities(name: str, kind: str | None) -> None:
    """A name is one of an identity by all its words; a customer or an account is one by its id."""
    assert terms.identity_of(name) == kind


def test_what_a_tool_is_about() -> None:
    """The name of a tool says whose id it is to be told."""
    assert terms.identities_in("get_user") == {"user"}
    assert terms.identities_in("listCustomersOfTenant") == {"customer", "tenant"}
    assert terms.identities_in("get_order") == frozenset()
