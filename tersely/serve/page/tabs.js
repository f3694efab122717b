// Tabs: the tab key reaches the chosen one, and the arrow keys move to the others.
import { find } from "./dom.js";

export function makeTabs(list) {
  const tabs = [...list.querySelectorAll("[role=tab]")];
  const choose = (chosen) => {
    for (const tab of tabs) {
      tab.setAttribute("aria-selected", tab === chosen);
      tab.tabIndex = tab === chosen ? 0 : -1;
      find(tab.getAttribute("aria-controls")).hidden = tab !== chosen;
    }
  };
  list.addEventListener("click", (event) => { if (tabs.includes(event.target)) choose(event.target); });
  list.addEventListener("keydown", (event) => {
    const from = tabs.indexOf(event.target), { length } = tabs;
    const to = { ArrowRight: (from + 1) % length, ArrowLeft: (from + length - 1) % length, Home: 0, End: length - 1 }[event.key];
    if (from < 0 || to === undefined) return;
    event.preventDefault();
    choose(tabs[to]);
    tabs[to].focus();
  });
}
