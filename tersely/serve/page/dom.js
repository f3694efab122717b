// Elements made in one call. Text is always set as text, so nothing that a user types becomes markup.

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

// A number as people read it; a real minus, so that it lines up with plus.
export const shown = (number, digits = 2) => number.toFixed(digits).replace("-", "−");

// How many characters a person counts.
export const countChars = (text) => [...new Intl.Segmenter().segment(text)].length;

// Calls `work` once there was no further call for so many milliseconds.
export function patient(milliseconds, work) {
  let timer;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(work, milliseconds, ...values);
  };
}
