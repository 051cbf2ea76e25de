"""What the elements of DocBook and DITA stand for in HTML; those not named are marks in a line."""

SECTIONS = frozenset(
    {
        *("set", "book", "part", "chapter", "appendix", "preface", "article", "section", "sect1"),
        *("sect2", "sect3", "sect4", "sect5", "simplesect", "refentry", "refsect1", "refsect2"),
        *("refsect3", "refsection", "refsynopsisdiv", "glossary", "bibliography", "colophon"),
        *("dedication", "acknowledgements", "topic", "concept", "task", "reference", "glossdiv"),
        *("troubleshooting", "glossentry", "condition", "cause", "remedy", "qandadiv"),
    }
)
"""Elements whose title is a heading."""

ROOTS = SECTIONS | {"dita"}
UNREAD = frozenset(
    {
        *("info", "articleinfo", "bookinfo", "chapterinfo", "sectioninfo", "sect1info", "setinfo"),
        *("partinfo", "appendixinfo", "prefaceinfo", "refentryinfo", "refsect1info", "blockinfo"),
        *("prolog", "indexterm", "remark", "draft-comment", "titleabbrev", "titlealts", "data"),
        *("refmiscinfo", "manvolnum", "toc", "index", "related-links", "imagedata", "areaspec"),
        *("fallback", "required-cleanup", "unknown"),
    }
)
"""What a reader does not see where it stands; the title of an info is moved out of it before."""

PREFORMATTED = frozenset(
    {
        *("programlisting", "screen", "literallayout", "synopsis", "codeblock", "msgblock"),
        *("screenshot", "programlistingco", "screenco", "lines", "pre", "address", "classsynopsis"),
        *("funcsynopsisinfo", "classsynopsisinfo"),
    }
)
BOXES = frozenset(
    {"note", "tip", "warning", "caution", "important", "danger", "notice", "hazardstatement"}
)
STRUCK = frozenset({"strikethrough", "line-through", "strike", "deleted"})
TAGS = {
    **dict.fromkeys(
        ("para", "simpara", "p", "shortdesc", "cmd", "cmdsynopsis", "funcprototype"),
        "p",
    ),
    **dict.fromkeys(("subtitle", "attribution", "releaseinfo", "refclass", "glosssee"), "p"),
    **dict.fromkeys(("itemizedlist", "simplelist", "ul", "sl", "steps-unordered", "choices"), "ul"),
    **dict.fromkeys(("orderedlist", "procedure", "substeps", "ol", "steps", "calloutlist"), "ol"),
    **dict.fromkeys(
        ("listitem", "member", "step", "callout", "li", "sli", "substep", "choice"), "li"
    ),
    **dict.fromkeys(("variablelist", "glosslist", "dl", "parml"), "dl"),
    **dict.fromkeys(("term", "dt", "pt"), "dt"),
    **dict.fromkeys(("dd", "pd"), "dd"),
    **dict.fromkeys(("varlistentry", "dlentry", "plentry", "formalpara", "figure", "fig"), "div"),
    **dict.fromkeys(
        ("example", "informalexample", "informalfigure", "mediaobject", "sidebar"), "div"
    ),
    **dict.fromkeys(
        ("blockquote", "epigraph", "lq", "body", "conbody", "taskbody", "refbody"), "div"
    ),
    **dict.fromkeys(
        ("context", "prereq", "result", "postreq", "stepresult", "stepxmp", "info"), "div"
    ),
    **dict.fromkeys(
        ("steptroubleshooting", "tutorialinfo", "abstract", "bodydiv", "sectiondiv"), "div"
    ),
    **dict.fromkeys(
        ("qandaset", "qandaentry", "question", "answer", "partintro", "refnamediv"), "div"
    ),
    **dict.fromkeys(("refsyn", "troublebody", "textobject", "footnoteref", "stepsection"), "div"),
    **dict.fromkeys(
        ("table", "informaltable", "simpletable", "properties", "choicetable", "segmentedlist"),
        "table",
    ),
    **dict.fromkeys(("row", "strow", "property", "chrow", "tr", "seglistitem"), "tr"),
    **dict.fromkeys(("sthead", "prophead", "chhead", "seghead"), "tr"),
    **dict.fromkeys(("entry", "stentry", "proptype", "propvalue", "propdesc", "td"), "td"),
    **dict.fromkeys(("choption", "chdesc", "seg"), "td"),
    **dict.fromkeys(
        ("proptypehd", "propvaluehd", "propdeschd", "choptionhd", "chdeschd", "th"), "th"
    ),
    **dict.fromkeys(("thead", "tbody", "tfoot"), ""),
}
"""HTML's names; "" where they are the same."""
