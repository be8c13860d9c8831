// Builds elements, and brings what is on the page up to date without losing focus, scroll or what is folded out.
// Strings become text nodes, never markup: names and errors come from users.

const SVG = "http://www.w3.org/2000/svg";
const KEPT = new Set(["open"]); // the reader's, not ours

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node[name] = value;
    else if (name === "style") for (const [key, text] of Object.entries(value)) node.style.setProperty(key, text);
    else node.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return node;
}

export const el = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);

export const svg = (tag, attributes = {}, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

const HANDLERS = ["onclick", "onkeydown", "oninput", "onsubmit", "ontoggle"];

function alike(old, fresh) {
  return old.nodeType === fresh.nodeType && old.nodeName === fresh.nodeName && old.id === fresh.id;
}

function patch(old, fresh) {
  if (old.nodeType === Node.TEXT_NODE) {
    if (old.data !== fresh.data) old.data = fresh.data;
    return;
  }
  for (const { name } of [...old.attributes]) {
    if (!fresh.hasAttribute(name) && !KEPT.has(name)) old.removeAttribute(name);
  }
  for (const { name, value } of fresh.attributes) {
    if (old.getAttribute(name) === value) continue;
    // The page's security policy forbids the attribute, not the property.
    if (name === "style") old.style.cssText = value;
    else old.setAttribute(name, value);
  }
  for (const handler of HANDLERS) old[handler] = fresh[handler];
  patchChildren(old, [...fresh.childNodes]);
}

function patchChildren(parent, fresh) {
  const old = [...parent.childNodes];
  fresh.forEach((node, place) => {
    if (place >= old.length) parent.append(node);
    else if (alike(old[place], node)) patch(old[place], node);
    else old[place].replaceWith(node);
  });
  for (const node of old.slice(fresh.length)) node.remove();
}

// Makes `parent` show these children.
export function show(parent, ...children) {
  patchChildren(parent, [...fill(document.createElement("div"), {}, children).childNodes]);
}

// Makes an element that is no button work like one, for the keyboard too.
export function press(action) {
  return {
    tabindex: "0",
    role: "button",
    onclick: action,
    onkeydown: (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      action(event);
    },
  };
}
