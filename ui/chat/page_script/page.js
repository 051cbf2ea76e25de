// What the page cannot do by itself: hear of clicks on the marks in an answer, and close the
// drawer of a phone once something was chosen in it. It reads nothing but the names below.
"use strict";

const MARK = /^#source-(\d{1,15})-(\d{1,3})$/;
const NARROW = 768;
const CHOOSES = "[class*='st-key-conversation-'] button, .st-key-new-conversation button";
const CLOSES = "[data-testid='stSidebarCollapseButton'] button";
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
  } else if (browser.innerWidth <= NARROW && event.target.closest?.(CHOOSES)) {
    // Later, so that the button is there for its own click.
    setTimeout(() => browser.document.querySelector(CLOSES)?.click());
  }
}

browser.document.addEventListener("click", hear, true);
window.addEventListener("pagehide", () =>
  browser.document.removeEventListener("click", hear, true),
);
send("streamlit:componentReady", { apiVersion: 1 });
send("streamlit:setFrameHeight", { height: 0 });
// A mark that was clicked before this script was there is in the address.
if (open(browser.location.hash)) {
  browser.history.replaceState(browser.history.state, "", browser.location.pathname + browser.location.search);
}
