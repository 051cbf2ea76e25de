// Puts Streamlit's own words into the language of the page: the labels of its controls, and what it
// writes in the places below. What stands anywhere else is text of Strata, a document or a person,
// and left alone. Words that Streamlit changes are English again, until the list is.
"use strict";

const LABELS = ["aria-label", "placeholder", "title", "alt"];
const PLACES = [
  "[data-testid=stSkipToContent], [data-testid=stFileUploader], [data-testid=InputInstructions]",
  "[data-testid=stStatusWidget], [data-testid=stConnectionStatus], [data-testid^=stDataFrameColumn]",
  "[data-testid=stTooltipContent], [data-testid=stDateInput], [data-live-announcer]",
].join();
const browser = window.parent;
const page = browser.document;
const send = (type, told) =>
  browser.postMessage({ isStreamlitMessage: true, type, ...told }, browser.origin);

let shown = [];
let words = [];
const before = page.documentElement.lang;

const sign = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
const known = ([english, told]) => [
  new RegExp(`^${english.split("{name}").map(sign).join("(.+)")}$`),
  told,
];

function inLanguage(text) {
  for (const [pattern, told] of words) {
    const found = pattern.exec(text.trim());
    if (found) return told.replace("{name}", () => found[1]);
  }
  return text;
}

function put(from, into) {
  const told = from && inLanguage(from);
  if (told !== from) into(told);
}

function label(element) {
  for (const name of LABELS) put(element.getAttribute(name), (told) => element.setAttribute(name, told));
}

// Of what can be chosen, only the option that adds what was typed and the one that stands for none
// have words of Streamlit.
const OPTIONS = /^(Add: |No results$)/;

function isStreamlits(text) {
  const place = text.parentElement;
  return place?.closest(PLACES) || (OPTIONS.test(text.data) && place?.closest("[role=option]"));
}

function translate(node) {
  if (node.nodeType === Node.TEXT_NODE) {
    if (isStreamlits(node)) put(node.data, (told) => { node.data = told; });
    return;
  }
  if (node.nodeType !== Node.ELEMENT_NODE) return;
  label(node);
  node.querySelectorAll(LABELS.map((name) => `[${name}]`).join()).forEach(label);
  const texts = page.createTreeWalker(node, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) translate(texts.currentNode);
}

// It is told of changes before they are drawn.
const watching = new MutationObserver((changes) => {
  for (const { type, target, addedNodes } of changes) {
    if (type === "attributes") label(target);
    else if (type === "characterData") translate(target);
    else addedNodes.forEach(translate);
  }
});

window.frameElement.title = "Strata";
window.frameElement.tabIndex = -1;
window.addEventListener("message", ({ source, data }) => {
  if (source !== browser || data.type !== "streamlit:render") return;
  page.documentElement.lang = data.args.language;
  // What stands there in the language before is put into the new one, too: the order is the same.
  const now = data.args.words;
  const again = shown.map(([, told], place) => [told, now[place][1]]);
  words = [...now, ...again].map(known);
  shown = now;
  translate(page.body);
  const watched = { subtree: true, childList: true, characterData: true };
  watching.observe(page.body, { ...watched, attributeFilter: LABELS });
});
window.addEventListener("pagehide", () => {
  watching.disconnect();
  page.documentElement.lang = before;
});
send("streamlit:componentReady", { apiVersion: 1 });
send("streamlit:setFrameHeight", { height: 0 });
