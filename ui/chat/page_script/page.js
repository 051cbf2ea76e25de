// What the page cannot do by itself: hear of clicks on the marks in an answer, close the drawer of
// a phone once something was chosen in it, keep a new question and the beginning of its answer in
// view, and name the buttons that copy. It reads nothing but the names below.
"use strict";

const MARK = /^#source-(\d{1,15})-(\d{1,3})$/;
const NARROW = 768;
const CLOSES = "[data-testid=stSidebar][data-collapsed=false] [data-testid=stSidebarCollapseButton] button";
const browser = window.parent;

const send = (type, told) =>
  browser.postMessage({ isStreamlitMessage: true, type, ...told }, browser.origin);

function open(address) {
  const mark = MARK.exec(address);
  if (mark) {
    // The time makes two clicks on one mark two.
    const value = [Number(mark[1]), Number(mark[2]), Date.now()];
    send("streamlit:setComponentValue", { value, dataType: "json" });
  }
  return Boolean(mark);
}

function hear(event) {
  const link = event.target.closest?.("a[href^='#source-']");
  if (link && open(link.getAttribute("href"))) {
    event.preventDefault();
  }
}

// Streamlit keeps the end of a growing page in view, for a while after it has grown, but only where
// the end was in view before. Whoever scrolls meanwhile is left in peace. The window remembers what
// is watched, since this script is loaded again when the page is drawn anew.
const HEADER = 72;
const WATCHED = 15000;

function keepBeginning(newest) {
  if (newest.startsWith("running-")) browser.strataLeft = false;
  if (browser.strataLeft) return;
  browser.strataWatched = { newest, ends: Date.now() + WATCHED };
  look();
}

function look() {
  const watched = browser.strataWatched;
  if (!watched || Date.now() > watched.ends) {
    browser.strataWatched = null;
    return;
  }
  const newest = browser.document.querySelector(`.st-key-${watched.newest}`);
  const top = newest?.getBoundingClientRect().top;
  if (top < HEADER || top > browser.innerHeight / 2) {
    newest.style.scrollMarginTop = `${HEADER}px`;
    newest.scrollIntoView({ block: "start" });
  }
  setTimeout(look, 100);
}

function leave() {
  if (browser.strataWatched) browser.strataLeft = true;
  browser.strataWatched = null;
}

// Streamlit calls them all "Copy to clipboard", and draws them when it comes to it.
let copies = {};

function nameCopies() {
  for (const [key, name] of Object.entries(copies)) {
    for (const button of browser.document.querySelectorAll(`[class*=st-key-${key}] button`)) {
      button.ariaLabel = name;
    }
  }
}

// The session counts what was chosen, so that a choice made before this script was there is heard
// of; the window remembers the last count, which this script would lose when it is loaded again.
function draw({ source, data }) {
  if (source !== browser || data.type !== "streamlit:render") return;
  const { chosen, newest } = data.args;
  copies = data.args.copies;
  if (chosen && chosen !== browser.strataChosen && browser.innerWidth <= NARROW) {
    browser.document.querySelector(CLOSES)?.click();
  }
  browser.strataChosen = chosen;
  if (newest && newest !== browser.strataNewest) keepBeginning(newest);
  browser.strataNewest = newest;
}

const LEAVES = ["wheel", "touchmove", "keydown", "pointerdown"];
browser.document.addEventListener("click", hear, true);
LEAVES.forEach((by) => browser.addEventListener(by, leave, true));
window.addEventListener("pagehide", () => {
  browser.document.removeEventListener("click", hear, true);
  LEAVES.forEach((by) => browser.removeEventListener(by, leave, true));
});
look();
setInterval(nameCopies, 500);
window.addEventListener("message", draw);
send("streamlit:componentReady", { apiVersion: 1 });
send("streamlit:setFrameHeight", { height: 0 });
// A mark that was clicked before this script was there is in the address.
if (open(browser.location.hash)) {
  browser.history.replaceState(browser.history.state, "", browser.location.pathname + browser.location.search);
}
