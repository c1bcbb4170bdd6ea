// Small helpers for elements.
"use strict";

const byId = (id) => document.getElementById(id);

// make("p", {class: "note"}, "text", element): attributes with the value false are left out.
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}

function button(text, onclick, attributes = {}) {
  const element = make("button", { type: "button", ...attributes }, text);
  element.onclick = onclick;
  return element;
}

async function copyText(text, from) {
  const before = from.textContent;
  try {
    await navigator.clipboard.writeText(text);
    from.textContent = "Copied";
  } catch {
    from.textContent = "Not copied";
  }
  setTimeout(() => (from.textContent = before), 1500);
}

// Tabs that the arrow keys move between (WAI-ARIA, tabs pattern).
function setUpTabs(list) {
  const tabs = [...list.querySelectorAll("[role=tab]")];
  const choose = (chosen) => {
    for (const tab of tabs) {
      tab.setAttribute("aria-selected", String(tab === chosen));
      tab.tabIndex = tab === chosen ? 0 : -1;
      byId(tab.getAttribute("aria-controls")).hidden = tab !== chosen;
    }
  };
  for (const [i, tab] of tabs.entries()) {
    tab.onclick = () => choose(tab);
    tab.onkeydown = (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const to = tabs[(i + step + tabs.length) % tabs.length];
      choose(to);
      to.focus();
      event.preventDefault();
    };
  }
  choose(tabs[0]);
}
