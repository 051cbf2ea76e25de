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
    name: html
    for html, names in {
        "p": (
            "para simpara p shortdesc cmd cmdsynopsis funcprototype subtitle attribution "
            "releaseinfo refclass glosssee"
        ),
        "ul": "itemizedlist simplelist ul sl steps-unordered choices",
        "ol": "orderedlist procedure substeps ol steps calloutlist",
        "li": "listitem member step callout li sli substep choice",
        "dl": "variablelist glosslist dl parml",
        "dt": "term dt pt",
        "dd": "dd pd",
        "div": (
            "varlistentry dlentry plentry formalpara figure fig example informalexample "
            "informalfigure mediaobject sidebar blockquote epigraph lq body conbody taskbody "
            "refbody context prereq result postreq stepresult stepxmp info steptroubleshooting "
            "tutorialinfo abstract bodydiv sectiondiv qandaset qandaentry question answer "
            "partintro refnamediv refsyn troublebody textobject footnoteref stepsection"
        ),
        "table": "table informaltable simpletable properties choicetable segmentedlist",
        "tr": "row strow property chrow tr seglistitem sthead prophead chhead seghead",
        "td": "entry stentry proptype propvalue propdesc td choption chdesc seg",
        "th": "proptypehd propvaluehd propdeschd choptionhd chdeschd th",
        "": "thead tbody tfoot",
    }.items()
    for name in names.split()
}
"""HTML's names; "" where they are the same."""
