// Messages in the corner, and questions.

import { el } from "./dom.js";

export function notice(kind, ...text) {
  const box = document.getElementById("notices");
  const close = el("button", { class: "quiet", type: "button", "aria-label": "Close this message", onclick: () => message.remove() }, "×");
  const message = el("div", { class: `notice ${kind}` }, el("p", {}, text), close);
  box.append(message);
  while (box.children.length > 4) box.firstElementChild.remove();
  return message;
}

// Asks; answers with the field's text ("" without a field), or null when the reader thinks better of it.
export function ask({ title, text, field, confirm, danger = false, secret = false }) {
  return new Promise((resolve) => {
    const input = field ? el("input", { name: "answer", placeholder: field.placeholder, type: secret ? "password" : "text", autocomplete: "off" }) : null;
    const dialog = el("dialog", { "aria-label": title },
      el("form", { method: "dialog" },
        el("h2", {}, title),
        text ? el("p", { class: "faint" }, text) : null,
        input ? el("label", {}, field.label, input) : null,
        el("div", { class: "buttons" },
          el("button", { type: "button", onclick: () => dialog.close("") }, "Back"),
          el("button", { class: danger ? "danger" : "main", value: "yes" }, confirm))));
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes" ? (input?.value.trim() ?? "") : null);
    });
    document.body.append(dialog);
    dialog.showModal();
    (input ?? dialog.querySelector("button.main, button.danger")).focus();
  });
}
