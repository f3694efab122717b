// Makes elements. Text is always set as text, so that nothing a user types becomes markup.

export const find = (id) => document.getElementById(id);

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== undefined && value !== null) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

export const make = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);

export const draw = (tag, attributes = {}, ...children) =>
  fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

// A number with a real minus sign, which is as wide as a plus.
export const formatNumber = (number, digits = 2) => number.toFixed(digits).replace("-", "−");

// The number of characters as a person counts them.
export const countChars = (text) => [...new Intl.Segmenter().segment(text)].length;

export const countBytes = (text) => new TextEncoder().encode(text).length; // of UTF-8

// Calls `work` when there was no further call for this many milliseconds.
export function debounce(milliseconds, work) {
  let timer;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(work, milliseconds, ...values);
  };
}
