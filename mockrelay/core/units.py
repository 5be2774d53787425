"""Conversions between integers and the texts of prices, durations and times, without floats."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal

from mockrelay.core.config import Market
from mockrelay.core.models import Order
from mockrelay.spec.vocab import Side

_DAYS, _MONTHS = "MonTueWedThuFriSatSun", "JanFebMarAprMayJunJulAugSepOctNovDec"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_WHOLE_DIGITS_MAX = 40
"""More than any price has, and few enough for `int`."""


def decimal_text(units: int, decimals: int) -> str:
    """`units` x 10^-`decimals` as a plain decimal: no exponent, no trailing zeros (12500, 3 -> `12.5`)."""
    if decimals <= 0:
        return str(units * 10**-decimals)
    sign = "-" if units < 0 else ""
    whole, fraction = divmod(abs(units), 10**decimals)
    digits = f"{fraction:0{decimals}d}".rstrip("0")
    return f"{sign}{whole}.{digits}" if digits else f"{sign}{whole}"


def units_of_text(text: str, decimals: int) -> int | None:
    """The inverse of `decimal_text`; None if the text is not a plain decimal or has more than `decimals` decimals."""
    whole, _, fraction = text.partition(".")
    digits = whole + fraction
    if not whole or not (digits.isascii() and digits.isdigit()) or text.endswith("."):
        return None
    if len(fraction) > decimals or len(whole) > _WHOLE_DIGITS_MAX:
        return None
    return int(whole + fraction.ljust(decimals, "0"))


def price_ticks(market: Market, side: Side, size_base_wei: int, volume_quote_wei: int) -> int:
    """An order's price in ticks of the market: a bid's rounded down, an ask's rounded up."""
    numerator, denominator = volume_quote_wei, size_base_wei
    if market.tick_shift >= 0:
        numerator *= 10**market.tick_shift
    else:
        denominator *= 10**-market.tick_shift
    return numerator // denominator if side is Side.BUY else -(-numerator // denominator)


def price_text(market: Market, ticks: int) -> str:
    """A price in ticks as the API writes it."""
    return decimal_text(ticks, market.price_precision)


def quote_at_price(market: Market, ticks: int, base_wei: int) -> int:
    """The quote amount in wei of `base_wei` at a price in ticks, rounded down."""
    scale: int = 10 ** abs(market.tick_shift)
    return base_wei * ticks // scale if market.tick_shift >= 0 else base_wei * ticks * scale


def order_price_text(market: Market, order: Order) -> str:
    """An order's price as the API writes it, which is also its price at the finest depth level."""
    return price_text(market, order.price_ticks)


_UNITS_MS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
_WHOLE, _DECIMAL = "[0-9]{1,15}", r"[0-9]{1,15}(\.[0-9]{1,3})?"
DURATION_PATTERN = f"({_DECIMAL}d|({_WHOLE}d)?({_DECIMAL}h|({_WHOLE}h)?({_DECIMAL}m|({_WHOLE}m)?({_DECIMAL}s|({_WHOLE}s)?{_WHOLE}ms))))"
"""Numbers with d, h, m, s and ms in this order, each at most once, the last one with up to three decimals, which of any unit
but ms are whole milliseconds. 15 digits are more than any sensible duration has.
"""
_DURATION = re.compile(DURATION_PATTERN)
_DURATION_PART = re.compile(r"([0-9]+)(?:\.([0-9]+))?([a-z]+)")


def duration_ms(text: str) -> int | None:
    """`15s`, `250ms`, `1.5h`, `1h30m` in milliseconds; None if the text is not a duration."""
    if _DURATION.fullmatch(text) is None:
        return None
    parts = _DURATION_PART.findall(text)
    return sum(int(whole + decimals.ljust(3, "0")) * _UNITS_MS[unit] // 1000 for whole, decimals, unit in parts)


def seconds_ms(seconds: float) -> int:
    """A number of seconds, from 0 on and finite, in milliseconds: the nearest one to the number as it is written."""
    return int((Decimal(repr(seconds)) * 1000).quantize(Decimal(1), ROUND_HALF_UP))


def duration_text(ms: int) -> str:
    """The inverse of `duration_ms`, in the largest unit that gives an integer."""
    unit = next((unit for unit, unit_ms in reversed(_UNITS_MS.items()) if ms and ms % unit_ms == 0), "s")
    return f"{ms // _UNITS_MS[unit]}{unit}"


def moment_ms(text: str) -> int | None:
    """`2026-01-01T00:00:00Z` (UTC or with an offset) in milliseconds since 1970; None if the text is not such a time."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        return None
    return (moment - _EPOCH) // timedelta(milliseconds=1)


def moment_text(at_ms: int) -> str:
    """The inverse of `moment_ms`."""
    moment = _EPOCH + timedelta(milliseconds=at_ms)
    return moment.isoformat(timespec="milliseconds" if at_ms % 1000 else "seconds").replace("+00:00", "Z")


def http_date(at_ms: int) -> str:
    """A time in whole seconds as HTTP's headers have it, in English under every locale: `Thu, 01 Jan 1970 00:00:00 GMT`."""
    moment = _EPOCH + timedelta(milliseconds=at_ms)
    month = _MONTHS[3 * moment.month - 3 : 3 * moment.month]
    return f"{_DAYS[3 * moment.weekday() :][:3]}, {moment:%d} {month} {moment.year:04} {moment:%H:%M:%S} GMT"
