"use strict";
// Show the values under the pointer, or at the place that the arrow keys moved to. The page is
// whole without this.
for (const source of document.querySelectorAll("script.points")) {
  const points = JSON.parse(source.textContent);
  const picture = source.previousElementSibling;
  const chart = picture.querySelector("svg");
  const [left, top, right, bottom] = points.plot;
  const most = 8;
  const make = (kind, attributes) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", kind);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    return made;
  };
  const guide = make("g", {"class": "guide", "visibility": "hidden"});
  const line = make("line", {"y1": top, "y2": bottom});
  guide.append(line);
  const dots = points.lines.map(each => make("circle", {"r": 3.2, "fill": `var(${each.colour})`}));
  guide.append(...dots);
  chart.append(guide);
  const values = document.createElement("div");
  values.className = "values";
  values.hidden = true;
  values.setAttribute("role", "status");
  picture.append(values);
  let place = (left + right) / 2;

  const nearest = (each, x) => {
    let best = 0;
    each.x.forEach((value, index) => {
      if (Math.abs(value - x) < Math.abs(each.x[best] - x)) best = index;
    });
    return best;
  };
  const row = (each, index) => {
    const made = document.createElement("div");
    const mark = document.createElement("i");
    mark.style.background = `var(${each.colour})`;
    const name = document.createElement("b");
    name.textContent = each.name;
    made.append(mark, name, ` ${each.loss[index]} at ${each.at[index]}`);
    return made;
  };
  const show = (x, y) => {
    place = Math.min(right, Math.max(left, x));
    line.setAttribute("x1", place);
    line.setAttribute("x2", place);
    const shown = points.lines.map((each, number) => {
      const index = nearest(each, place);
      dots[number].setAttribute("cx", each.x[index]);
      dots[number].setAttribute("cy", each.y[index]);
      return {each, index, number, height: each.y[index]};
    });
    const close = [...shown].sort((a, b) => Math.abs(a.height - y) - Math.abs(b.height - y)).slice(0, most);
    dots.forEach((dot, number) => dot.setAttribute("visibility", close.some(one => one.number === number) ? "inherit" : "hidden"));
    close.sort((a, b) => a.height - b.height);
    const head = document.createElement("small");
    head.textContent = `loss at ${points.what}`;
    values.replaceChildren(head, ...close.map(one => row(one.each, one.index)));
    values.classList.toggle("at-left", place > (left + right) / 2);
    values.hidden = false;
    guide.setAttribute("visibility", "visible");
  };
  const hide = () => {
    values.hidden = true;
    guide.setAttribute("visibility", "hidden");
  };
  const touched = event => {
    const box = chart.getBoundingClientRect(), view = chart.viewBox.baseVal;
    show((event.clientX - box.left) * view.width / box.width, (event.clientY - box.top) * view.height / box.height);
  };
  picture.addEventListener("pointermove", touched);
  picture.addEventListener("pointerdown", touched);
  picture.addEventListener("pointerleave", hide);
  picture.addEventListener("blur", hide);
  picture.addEventListener("keydown", event => {
    const step = {"ArrowLeft": -1, "ArrowRight": 1}[event.key];
    if (step === undefined) return;
    event.preventDefault();
    show(place + step * (right - left) / 40, (top + bottom) / 2);
  });
}
// On paper everything is open.
addEventListener("beforeprint", () => {
  for (const each of document.querySelectorAll("details")) each.open = true;
});
