// Scores under changed conditions, a chart for each curve.

registerView("curves", {
  section(charts) {
    return element("section", { "aria-label": "Curves" },
      element("div", { class: "section-head" }, element("h2", {}, "Curves")),
      element("div", { class: "figures" }, ...charts.map((chart) => lines(chart.title, chart.lines, chart.x, chart.unit))));
  },
});
