// Small charts as inline SVG. Each takes data and returns a figure with a caption that a screen reader can speak.

const CHART = { width: 460, height: 240, left: 44, right: 12, top: 12, bottom: 40 };

function niceTicks(low, high, count = 5) {
  if (!(high > low)) return [low];
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((factor) => rough <= factor * power * 1.0001);
  const ticks = [];
  for (let tick = Math.ceil(low / step - 1e-9) * step; tick <= high + step * 1e-9; tick += step) {
    ticks.push(Math.abs(tick) < step * 1e-9 ? 0 : tick);
  }
  return ticks;
}

function tickText(tick, ticks) {
  const step = ticks.length > 1 ? ticks[1] - ticks[0] : 1;
  return tick.toFixed(Math.max(0, Math.min(4, -Math.floor(Math.log10(step) + 1e-9))));
}

function linear(domain, range) {
  const [low, high] = domain;
  const span = high - low || 1;
  return (value) => range[0] + ((value - low) / span) * (range[1] - range[0]);
}

function extent(values) {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    if (value === null) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low > high ? [0, 1] : [low, high];
}

// A label that has so much room, in the chart's own units; what is too long loses its middle, since a metric's name stands
// at the beginning and the end of a path says which one it is.
function fitting(text, room) {
  const width = (letter) => (letter.codePointAt(0) >= 0x2e80 ? 12 : 6.6);
  const letters = [...text];
  let most = room;
  if (letters.reduce((sum, letter) => sum + width(letter), 0) <= room) return text;
  const [head, tail] = [[], []];
  for (let turn = 0, left = 0, right = letters.length - 1; left <= right; turn += 1) {
    const letter = turn % 2 ? letters[right] : letters[left];
    most -= width(letter);
    if (most < 12) break;
    if (turn % 2) { tail.unshift(letter); right -= 1; } else { head.push(letter); left += 1; }
  }
  return `${head.join("")}\u2026${tail.join("")}`;
}

function axisLabel(text, room, attributes) {
  const shown = fitting(text, room);
  return shape("text", { class: "label", "text-anchor": "middle", ...attributes }, shown, shown === text ? null : shape("title", {}, text));
}

function frame({ xDomain, yDomain, xLabel, yLabel, label, whole = false }) {
  const { width, height, left, right, top, bottom } = CHART;
  const x = linear(xDomain, [left, width - right]);
  const y = linear(yDomain, [height - bottom, top]);
  const svg = shape("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label, class: "chart" });
  const xTicks = niceTicks(...xDomain);
  for (const tick of xTicks) {
    svg.append(
      shape("line", { class: "grid", x1: x(tick), x2: x(tick), y1: top, y2: height - bottom }),
      shape("text", { class: "tick", x: x(tick), y: height - bottom + 15, "text-anchor": "middle" },
        tickText(tick, xTicks)));
  }
  const ticks = niceTicks(...yDomain, 4).filter((tick) => !whole || Number.isInteger(tick));
  for (const tick of ticks) {
    svg.append(
      shape("line", { class: "grid", x1: left, x2: width - right, y1: y(tick), y2: y(tick) }),
      shape("text", { class: "tick", x: left - 6, y: y(tick) + 4, "text-anchor": "end" }, tickText(tick, ticks)));
  }
  svg.append(
    shape("line", { class: "axis", x1: left, x2: width - right, y1: height - bottom, y2: height - bottom }),
    axisLabel(xLabel, width - left - right, { x: (left + width - right) / 2, y: height - 6 }),
    axisLabel(yLabel, height - top - bottom, { x: 12, y: (top + height - bottom) / 2,
      transform: `rotate(-90 12 ${(top + height - bottom) / 2})` }));
  return { svg, x, y };
}

function figure(title, body, note = "") {
  return element("figure", {}, element("figcaption", {}, element("strong", {}, title), note ? ` ${note}` : ""), body);
}

function mean(values) {
  const known = values.filter((value) => value !== null);
  return known.length ? known.reduce((sum, value) => sum + value, 0) / known.length : null;
}

// Series: [{name, color, values}]; values in the unit given.
function histogram(title, series, xLabel, { unit = "fraction", zero = false } = {}) {
  const bins = Math.min(30, Math.max(6, Math.ceil(2 * Math.sqrt(series[0]?.values.length ?? 0))));
  let [low, high] = extent(series.flatMap((one) => one.values));
  if (zero) [low, high] = [Math.min(low, 0), Math.max(high, 0)];
  // Half a point on either side of the only value there is.
  if (low === high) [low, high] = [low - 0.5 / displayed(1, unit), high + 0.5 / displayed(1, unit)];
  const counts = series.map(({ values }) => {
    const count = new Array(bins).fill(0);
    for (const value of values) {
      if (value !== null) count[Math.min(bins - 1, Math.floor(((value - low) / (high - low)) * bins))] += 1;
    }
    return count;
  });
  const most = Math.max(1, ...counts.flat());
  const said = series.map((one) => `${one.name}: mean ${score(mean(one.values), unit)}`).join("; ");
  const { svg, x, y } = frame({
    xDomain: [displayed(low, unit), displayed(high, unit)], yDomain: [0, most], xLabel, yLabel: "items", whole: true,
    label: `${title}. ${said}`,
  });
  counts.forEach((count, place) => {
    const edge = (bin) => x(displayed(low + ((high - low) * bin) / bins, unit));
    const path = [`M${edge(0)} ${y(0)}`];
    count.forEach((number, bin) => path.push(`V${y(number).toFixed(1)}H${edge(bin + 1).toFixed(1)}`));
    path.push(`V${y(0)}Z`);
    svg.append(shape("path", { class: `area ${series[place].color}`, d: path.join("") }));
    const middle = mean(series[place].values);
    if (middle === null) return;
    const at = x(displayed(middle, unit));
    svg.append(shape("line", { class: `mean ${series[place].color}`, x1: at, x2: at, y1: y(0), y2: CHART.top }));
  });
  if (zero) svg.append(shape("line", { class: "axis", x1: x(0), x2: x(0), y1: y(0), y2: CHART.top }));
  return figure(title, svg, said);
}

// Thousands of points are one path of dots: the browser draws it at once. The nearest point is found by distance, and
// named under the pointer.
function scatter(title, series, xs, xLabel, yLabel, unit, open, said = correlations(series, xs), names = data.ids) {
  const domain = (values) => {
    const [low, high] = extent(values);
    const margin = (high - low) * 0.03 || 0.5;
    return [low - margin, high + margin];
  };
  const xDomain = domain(xs);
  const yDomain = domain(series.flatMap((one) => one.values)).map((value) => displayed(value, unit));
  const { svg, x, y } = frame({ xDomain, yDomain, xLabel, yLabel, label: `${title}. ${said}` });
  const points = [];
  for (const one of series) {
    const path = [];
    one.values.forEach((value, place) => {
      if (value === null || xs[place] === null) return;
      const point = { x: x(xs[place]), y: y(displayed(value, unit)), place };
      points.push(point);
      path.push(`M${point.x.toFixed(1)} ${point.y.toFixed(1)}h0`);
    });
    svg.append(shape("path", { class: `dots ${one.color}${path.length < 300 ? " few" : ""}`, d: path.join("") }));
  }
  const ring = shape("circle", { class: "ring", r: 5, cx: -99, cy: -99 });
  const name = shape("text", { class: "hover", x: 0, y: 0 });
  svg.append(ring, name);
  const nearest = (event) => {
    const box = svg.getBoundingClientRect();
    const px = ((event.clientX - box.left) / box.width) * CHART.width;
    const py = ((event.clientY - box.top) / box.height) * CHART.height;
    let best = null;
    let least = 144;
    for (const point of points) {
      const distance = (point.x - px) ** 2 + (point.y - py) ** 2;
      if (distance < least) [best, least] = [point, distance];
    }
    return best;
  };
  svg.addEventListener("pointermove", (event) => {
    const point = nearest(event);
    ring.setAttribute("cx", point ? point.x : -99);
    ring.setAttribute("cy", point ? point.y : -99);
    name.textContent = point ? names[point.place] : "";
    if (point) {
      const leftHalf = point.x < CHART.width / 2;
      name.setAttribute("x", point.x + (leftHalf ? 9 : -9));
      name.setAttribute("y", Math.max(CHART.top + 10, point.y - 6));
      name.setAttribute("text-anchor", leftHalf ? "start" : "end");
    }
  });
  svg.addEventListener("click", (event) => {
    const point = nearest(event);
    if (point) open(point.place);
  });
  return figure(title, svg, said);
}

function correlations(series, xs) {
  return series.map((one) => `${one.name}: rank correlation ${correlationText(xs, one.values)}`).join("; ");
}

function lines(title, series, xLabel, unit) {
  const points = series.flatMap((one) => one.points);
  const xDomain = extent(points.map(([x]) => x));
  const [low, high] = extent(points.map(([, y]) => y));
  const spoken = (one) => one.points.map(([px, py]) => `${plain(px)} ${score(py, unit)}`).join(", ");
  const said = series.map((one) => `${one.name}: ${spoken(one)}`).join("; ");
  const { svg, x, y } = frame({
    xDomain, yDomain: [displayed(Math.min(0, low), unit), displayed(high, unit) || 1], xLabel, yLabel: "score",
    label: `${title}. ${said}`,
  });
  const key = element("ul", { class: "key" });
  series.forEach((one, place) => {
    const color = `s${place % 8}`;
    const path = one.points.map(([px, py]) => `${x(px).toFixed(1)} ${y(displayed(py, unit)).toFixed(1)}`);
    svg.append(shape("path", { class: `line ${color}`, d: `M${path.join("L")}` }));
    for (const [px, py] of one.points) {
      svg.append(shape("circle", { class: `dot ${color}`, cx: x(px), cy: y(displayed(py, unit)), r: 3 },
        shape("title", {}, `${one.name}: ${plain(px)}, ${score(py, unit)}`)));
    }
    key.append(element("li", {}, element("span", { class: `swatch ${color}` }), one.name));
  });
  return figure(title, element("div", {}, svg, key));
}

function ranks(values) {
  const order = values.map((value, place) => [value, place]).sort((a, b) => a[0] - b[0]);
  const rank = new Array(values.length);
  for (let start = 0; start < order.length;) {
    let end = start;
    while (end < order.length && order[end][0] === order[start][0]) end += 1;
    for (let at = start; at < end; at += 1) rank[order[at][1]] = (start + end - 1) / 2;
    start = end;
  }
  return rank;
}

// Spearman's rho: Pearson's correlation of the ranks, equal values sharing a rank.
function correlationText(xs, ys) {
  const known = xs.map((_, place) => place).filter((place) => xs[place] !== null && ys[place] !== null);
  if (known.length < 3) return NONE;
  const [a, b] = [ranks(known.map((place) => xs[place])), ranks(known.map((place) => ys[place]))];
  const middle = (known.length - 1) / 2;
  let [both, one, other] = [0, 0, 0];
  a.forEach((rank, place) => {
    const [u, v] = [rank - middle, b[place] - middle];
    both += u * v;
    one += u * u;
    other += v * v;
  });
  return one && other ? (both / Math.sqrt(one * other)).toFixed(2) : NONE;
}
