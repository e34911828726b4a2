"""Check the links of the built documents, without a network: ``python docs/check_links.py FOLDER``.

Every link to a file must lead to a file, with its anchor; other addresses must be complete.
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The links and the anchors of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.anchors: set[str] = {""}
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what an element links to, and its id."""
        for name, value in attrs:
            if name in ("href", "src") and value:
                self.links.add(value)
            if name in ("id", "name") and value:
                self.anchors.add(value)


def faults(folder: Path) -> list[str]:
    """Return a line for each broken link."""
    pages = {path.resolve(): Page(path) for path in sorted(folder.rglob("*.html"))}
    found = []
    for path, page in pages.items():
        for link in sorted(page.links):
            parts = urlsplit(link)
            if parts.scheme in ("data", "mailto", "javascript"):
                continue
            if parts.scheme or parts.netloc:
                wrong = parts.scheme not in ("", "http", "https") or not parts.netloc
            else:
                target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
                target = target / "index.html" if target.is_dir() else target
                anchors = pages[target].anchors if target in pages else {parts.fragment}
                wrong = not target.exists() or unquote(parts.fragment) not in anchors
            if wrong:
                found.append(f"{path.relative_to(folder.resolve())}: {link}")
    if not pages:
        found.append(f"{folder}: no page")
    return found


if __name__ == "__main__":
    lines = faults(Path(sys.argv[1]))
    print("\n".join(lines) or "all links are valid")
    raise SystemExit(bool(lines))
