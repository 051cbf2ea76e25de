"""Pages as the usual generators of documentation write them in HTML."""

from __future__ import annotations

from tests.ingestion.layouts.layout import Layout

_LEAD = "<p>The valve closes after five seconds and opens again when it is told to do so.</p>"
_READ = "paragraph The valve closes after five seconds and opens again when it is told to do so."


def _html(body: str, expected: str) -> Layout:
    page = f"<html><body><main>{_LEAD}{body}</main></body></html>"
    return Layout("page.html", page.encode(), f"{_READ}\n{expected}")


LAYOUTS = {
    "sphinx-design tabs": _html(
        """<div class="sd-tab-set docutils"><input checked id="t1" name="s" type="radio">
        <label class="sd-tab-label" for="t1">Debian</label><div class="sd-tab-content docutils">
        <p>Install the package.</p><pre>apt install valve</pre></div>
        <input id="t2" name="s" type="radio"><label class="sd-tab-label" for="t2">Fedora</label>
        <div class="sd-tab-content docutils"><pre>dnf install valve</pre></div></div>""",
        """heading Debian
paragraph Install the package.
code apt install valve
heading Fedora
code dnf install valve""",
    ),
    "sphinx-tabs": _html(
        """<div class="sphinx-tabs docutils container"><div aria-label="Tabbed content"
        class="closeable" role="tablist"><button aria-controls="panel-0" class="sphinx-tabs-tab"
        role="tab">Linux</button><button aria-controls="panel-1" class="sphinx-tabs-tab"
        role="tab">macOS</button></div><div aria-labelledby="tab-0" class="sphinx-tabs-panel"
        id="panel-0" role="tabpanel"><p>Use apt.</p></div><div aria-labelledby="tab-1"
        class="sphinx-tabs-panel" hidden="true" id="panel-1" role="tabpanel"><p>Use brew.</p>
        </div></div>""",
        """heading Linux
paragraph Use apt.
heading macOS
paragraph Use brew.""",
    ),
    "docusaurus tabs": _html(
        """<div class="theme-tabs-container"><ul role="tablist" class="tabs"><li role="tab"
        class="tabs__item">npm</li><li role="tab" class="tabs__item">Yarn</li></ul><div
        class="margin-top--md"><div role="tabpanel" class="tabItem_x"><p>With npm:</p></div><div
        role="tabpanel" class="tabItem_x" hidden=""><p>With Yarn:</p></div></div></div>""",
        """heading npm
paragraph With npm:
heading Yarn
paragraph With Yarn:""",
    ),
    "material tabs": _html(
        """<div class="tabbed-set tabbed-alternate"><input id="a" name="x" type="radio"><input
        id="b" name="x" type="radio"><div class="tabbed-labels"><label for="a">C</label><label
        for="b">C++</label></div><div class="tabbed-content"><div class="tabbed-block">
        <pre>printf("x");</pre></div><div class="tabbed-block"><pre>cout &lt;&lt; "x";</pre></div>
        </div></div>""",
        """heading C
code printf("x");
heading C++
code cout << "x";""",
    ),
    "code with its numbers in a column of their own": _html(
        """<div class="highlight-python"><table class="highlighttable"><tr><td class="linenos">
        <div class="linenodiv"><pre>1\n2</pre></div></td><td class="code"><div class="highlight">
        <pre><span></span>def close():\n    pass\n</pre></div></td></tr></table></div>""",
        "code def close():⏎    pass",
    ),
    "code with its numbers before each line": _html(
        """<div class="highlight"><pre><span class="linenos">1</span>def close():
<span class="linenos">2</span>    pass
</pre></div>""",
        "code def close():⏎    pass",
    ),
    "code as a table of lines": _html(
        """<table class="highlight js-file-line-container"><tbody><tr><td id="L1" class="blob-num"
        data-line-number="1"></td><td class="blob-code">def close():</td></tr><tr><td id="L2"
        class="blob-num" data-line-number="2"></td><td class="blob-code">    pass</td></tr></tbody>
        </table>""",
        "code def close():⏎    pass",
    ),
    "code of docusaurus, a line an element": _html(
        """<div class="codeBlockContent"><pre class="prism-code"><code><span class="token-line"
        style="color:#fff"><span class="token plain">a = 1</span><br></span><span
        class="token-line"><span class="token plain">  b = 2</span><br></span></code></pre>
        <div class="buttonGroup"><button>Copy</button></div></div>""",
        "code a = 1⏎  b = 2",
    ),
    "a note of sphinx with a list": _html(
        """<div class="admonition warning"><p class="admonition-title">Warning</p><p>The valve is
        hot:</p><ul class="simple"><li><p>wear gloves</p></li><li><p>wait</p></li></ul></div>""",
        """paragraph Warning: The valve is hot:
list_item - wear gloves
list_item - wait""",
    ),
    "a note of material that opens": _html(
        """<details class="tip"><summary>Faster</summary><p>Close it by hand.</p></details>""",
        """heading Faster
paragraph Close it by hand.""",
    ),
    "a note of docusaurus": _html(
        """<div class="theme-admonition theme-admonition-danger admonition_o5 alert alert--danger">
        <div class="admonitionHeading_tb"><span class="admonitionIcon_kX"><svg viewBox="0 0 12 16">
        <path d="M0"></path></svg></span>danger</div><div class="admonitionContent_S0"><p>It is hot.
        </p></div></div>""",
        "paragraph danger: It is hot.",
    ),
    "a note of asciidoctor": _html(
        """<div class="admonitionblock note"><table><tr><td class="icon"><i class="fa icon-note"
        title="Note"></i></td><td class="content"><div class="paragraph"><p>Keep it dry.</p></div>
        </td></tr></table></div>""",
        "paragraph Note: Keep it dry.",
    ),
    "a definition with two terms and two meanings": _html(
        """<dl><dt>seal</dt><dt>gasket</dt><dd>Keeps it tight.</dd><dd>Is replaced each year.</dd>
        <dt>stem</dt><dd><p>Moves the disc.</p><p>Is greased.</p></dd></dl>""",
        """definition seal, gasket – Keeps it tight.
paragraph Is replaced each year.
definition stem – Moves the disc.
paragraph Is greased.""",
    ),
    "definitions of asciidoctor": _html(
        """<div class="dlist"><dl><dt class="hdlist1">seal</dt><dd><p>Keeps it tight.</p></dd></dl>
        </div>""",
        "definition seal – Keeps it tight.",
    ),
    "footnotes of sphinx": _html(
        """<p>It holds 16 bar<a class="footnote-reference brackets" href="#f1" id="r1"
        role="doc-noteref"><span class="fn-bracket">[</span>1<span class="fn-bracket">]</span></a>.
        </p><aside class="footnote-list brackets"><aside class="footnote brackets" id="f1"
        role="doc-footnote"><span class="label"><span class="fn-bracket">[</span><a
        role="doc-backlink" href="#r1">1</a><span class="fn-bracket">]</span></span><p>At 20 °C.</p>
        </aside></aside>""",
        """paragraph It holds 16 bar[1].
paragraph [1] At 20 °C.""",
    ),
    "footnotes of markdown": _html(
        """<p>It holds 16 bar<sup id="fnref:1"><a class="footnote-ref" href="#fn:1">1</a></sup>.
        </p><div class="footnote"><hr><ol><li id="fn:1"><p>At 20 °C. <a
        class="footnote-backref"
        href="#fnref:1" title="Jump back">↩</a></p></li></ol></div>""",
        """paragraph It holds 16 bar[1].
paragraph [1] At 20 °C.""",
    ),
    "footnotes of github": _html(
        """<p>It holds 16 bar<sup><a href="#user-content-fn-1" data-footnote-ref>1</a></sup>.</p>
        <section data-footnotes class="footnotes"><h2 class="sr-only">Footnotes</h2><ol><li
        id="user-content-fn-1"><p>At 20 °C. <a href="#user-content-fnref-1"
        data-footnote-backref>↩</a></p></li></ol></section>""",
        """paragraph It holds 16 bar[1].
paragraph [1] At 20 °C.""",
    ),
    "a table in a cell": _html(
        """<table><thead><tr><th>Valve</th><th>Limits</th></tr></thead><tbody><tr><td>V1</td><td>
        <table><tr><th>Pressure</th><td>16 bar</td></tr><tr><th>Heat</th><td>80 °C</td></tr></table>
        </td></tr><tr><td>V2</td><td>none</td></tr></tbody></table>""",
        """table_header Valve — Limits
table_row V1 — Pressure: 16 bar; Heat: 80 °C
table_row V2 — none""",
    ),
    "a header of two rows over spanning cells": _html(
        """<table><thead><tr><th rowspan="2">Valve</th><th colspan="2">Pressure</th></tr><tr>
        <th>min</th><th>max</th></tr></thead><tbody><tr><td rowspan="2">V1</td><td>1</td><td>16</td>
        </tr><tr><td colspan="2">off</td></tr></tbody></table>""",
        """table_header Valve — Pressure min — Pressure max
table_row V1 — 1 — 16
table_row V1 — off — off""",
    ),
    "a table whose rows have headers too": _html(
        """<table><tr><td></td><th>min</th><th>max</th></tr><tr><th>V1</th><td>1</td><td>16</td>
        </tr><tr><th>V2</th><td>2</td><td>25</td></tr></table>""",
        """table_header  — min — max
table_row V1 — 1 — 16
table_row V2 — 2 — 25""",
    ),
    "cells with lists, lines and code": _html(
        """<table><tr><th>Option</th><th>Values</th></tr><tr><td><code>mode</code></td><td><ul>
        <li>fast</li><li>slow</li></ul></td></tr><tr><td>level</td><td>low<br>high</td></tr><tr>
        <td>script</td><td><pre>a\nb</pre></td></tr></table>""",
        """table_header Option — Values
table_row mode — fast; slow
table_row level — low high
table_row script — a b""",
    ),
    "a table with a caption and a foot": _html(
        """<table><caption><span class="caption-number">Table 3 </span><span class="caption-text">
        Limits</span></caption><thead><tr><th>Valve</th><th>bar</th></tr></thead><tbody><tr>
        <td>V1</td><td>16</td></tr></tbody><tfoot><tr><td>All</td><td>16</td></tr></tfoot></table>
        """,
        """paragraph Table 3 Limits
table_header Valve — bar
table_row V1 — 16
table_row All — 16""",
    ),
    "what a version changed": _html(
        """<div class="versionadded"><p><span class="versionmodified added">Added in version 3.2:
        </span>The option <code>mode</code>.</p></div><div class="deprecated"><p><span
        class="versionmodified deprecated">Deprecated since version 3.4.</span></p></div>""",
        """paragraph Added in version 3.2: The option mode.
paragraph Deprecated since version 3.4.""",
    ),
    "a setting of sphinx": _html(
        """<dl class="std confval"><dt class="sig sig-object std" id="confval-hold_time"><span
        class="sig-name descname"><span class="pre">hold_time</span></span><a class="headerlink"
        href="#x">¶</a></dt><dd><dl class="field-list simple"><dt class="field-odd">Type<span
        class="colon">:</span></dt><dd class="field-odd"><p><code>int</code></p></dd><dt
        class="field-even">Default<span class="colon">:</span></dt><dd class="field-even"><p>
        <code>45</code></p></dd></dl><p>How long it stays open.</p></dd></dl>""",
        """signature hold_time
definition Type: int
definition Default: 45
paragraph How long it stays open.""",
    ),
    "an option of a command": _html(
        """<dl class="std option"><dt class="sig sig-object std" id="cmdoption-v"><span id="c2">
        </span><span class="sig-name descname"><span class="pre">-v</span></span><span
        class="sig-prename descclassname"></span><span class="sig-prename descclassname"><span
        class="pre">,</span> </span><span class="sig-name descname"><span class="pre">--verbose
        </span></span><span class="sig-prename descclassname"> <span class="pre">LEVEL</span></span>
        <a class="headerlink" href="#c">¶</a></dt><dd><p>Says more.</p></dd></dl>""",
        """signature -v, --verbose LEVEL
paragraph Says more.""",
    ),
    "a figure with its caption": _html(
        """<figure class="align-default"><img src="a.png" alt="Section through the valve">
        <figcaption><p><span class="caption-number">Fig. 1 </span><span
        class="caption-text">The valve.</span></p></figcaption></figure>""",
        """paragraph Section through the valve
paragraph Fig. 1 The valve.""",
    ),
    "a function of doxygen": _html(
        """<h2 class="memtitle">close()</h2><div class="memitem"><div class="memproto"><table
        class="memname"><tr><td class="memname">int close </td><td>(</td><td class="paramtype">int
        </td><td class="paramname"><em>id</em>, </td></tr><tr><td class="paramkey"></td><td></td>
        <td class="paramtype">bool </td><td class="paramname"><em>hard</em> </td></tr><tr><td></td>
        <td>)</td><td></td><td></td></tr></table></div><div class="memdoc"><p>Closes a valve.</p><dl
        class="params"><dt>Parameters</dt><dd><table class="params"><tr><td class="paramname">id
        </td><td>The valve.</td></tr><tr><td class="paramname">hard</td><td>At once.</td></tr>
        </table></dd></dl></div></div>""",
        """heading close()
signature int close(int id, bool hard)
paragraph Closes a valve.
definition Parameters
table_row id — The valve.
table_row hard — At once.""",
    ),
    "a method of javadoc": _html(
        """<section class="detail" id="close(int)"><h3>close</h3><div class="member-signature"><span
        class="modifiers">public</span>&nbsp;<span class="return-type">int</span>&nbsp;<span
        class="element-name">close</span><wbr><span class="parameters">(int&nbsp;id)</span></div>
        <div class="block">Closes a valve.</div><dl class="notes"><dt>Parameters:</dt><dd>
        <code>id</code> - the valve</dd><dt>Returns:</dt><dd>0 if it closed</dd></dl></section>""",
        """heading close
signature public int close(int id)
paragraph Closes a valve.
definition Parameters – id - the valve
definition Returns – 0 if it closed""",
    ),
    "powers, indices and keys": _html(
        "<p>At 10<sup>3</sup> Pa, H<sub>2</sub>O boils; press <kbd>Ctrl</kbd>+<kbd>C</kbd>.</p>",
        "paragraph At 10^3 Pa, H2O boils; press Ctrl+C.",
    ),
    "a list in columns": _html(
        """<table class="hlist"><tr><td><ul class="simple"><li><p>open</p></li><li><p>close</p></li>
        </ul></td><td><ul class="simple"><li><p>drain</p></li></ul></td></tr></table>""",
        """list_item - open
list_item - close
list_item - drain""",
    ),
    "steps with code and a note between them": _html(
        """<ol class="arabic"><li><p>Open the shell:</p><div class="highlight"><pre>valve shell
</pre></div></li><li><p>Close it.</p><div class="admonition note"><p class="admonition-title">Note
        </p><p>This takes a while.</p></div></li><li><p>Leave.</p></li></ol>""",
        """list_item 1. Open the shell:
code valve shell
list_item 2. Close it.
paragraph Note: This takes a while.
list_item 3. Leave.""",
    ),
    "steps that go on after a break": _html(
        """<ol type="a"><li>Open</li><li>Close</li></ol><p>Wait.</p><ol start="3"><li>Drain</li>
        </ol>""",
        """list_item 1. Open
list_item 2. Close
paragraph Wait.
list_item 3. Drain""",
    ),
    "callouts of asciidoctor": _html(
        """<div class="listingblock"><div class="content"><pre class="highlight"><code>hold: 45
<b class="conum">(1)</b></code></pre></div></div><div class="colist arabic"><ol><li><p>Seconds.</p>
        </li></ol></div>""",
        """code hold: 45⏎(1)
list_item 1. Seconds.""",
    ),
    "mathematics": _html(
        """<p>The flow is <span class="math notranslate">\\(Q = k \\sqrt{p}\\)</span>.</p>
        <p>Or <span class="katex"><span class="katex-mathml"><math><semantics><mrow><mi>Q</mi>
        </mrow><annotation
        encoding="application/x-tex">Q = kp</annotation></semantics></math></span><span
        class="katex-html" aria-hidden="true">Q=kp</span></span>.</p>""",
        """paragraph The flow is \\(Q = k \\sqrt{p}\\).
paragraph Or Q = kp.""",
    ),
    "lines that stay lines": _html(
        """<div class="line-block"><div class="line">Valve Street 5</div><div class="line">Seal City
        </div></div>""",
        """paragraph Valve Street 5
paragraph Seal City""",
    ),
}
