"""The paths by which elements of one page are found again."""

from collections import Counter

from lxml.html import HtmlElement


class Selectors:
    """Gives elements the paths that `getpath` does, which counts all siblings before each."""

    def __init__(self) -> None:
        self._known: dict[HtmlElement, str] = {}

    def of(self, element: HtmlElement) -> str:
        """The path of an element from the top of its page."""
        if element not in self._known:
            above = element.getparent()
            begin = "" if above is None else self.of(above)
            siblings = [element] if above is None else list(above)
            often = Counter(each.tag for each in siblings)
            counted: Counter[object] = Counter()
            for each in siblings:
                counted[each.tag] += 1
                number = f"[{counted[each.tag]}]" if often[each.tag] > 1 else ""
                self._known[each] = f"{begin}/{each.tag}{number}"
        return self._known[element]
