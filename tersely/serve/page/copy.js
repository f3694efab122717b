// Copies text to the clipboard and shows that on the button for a moment.
import { find, make } from "./dom.js";

export async function copy(text, button, done) {
  try {
    await navigator.clipboard.writeText(text);
  } catch { // browsers allow the clipboard on secure origins only
    const area = document.body.appendChild(make("textarea"));
    area.value = text;
    area.select();
    document.execCommand("copy");
    area.remove();
    button.focus();
  }
  find("status").textContent = done;
  const name = (button.dataset.name ??= button.textContent);
  button.textContent = "Copied";
  setTimeout(() => {
    button.textContent = name;
    if (find("status").textContent === done) find("status").textContent = "";
  }, 1500);
}
