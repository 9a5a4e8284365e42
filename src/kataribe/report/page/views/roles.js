// The roles of a narration: found, lost, invented, by each system.

registerView("roles", {
  item(content, place, { systems }) {
    const rows = systems.filter((system) => content.systems[system]?.roles[place])
      .map((system) => [systemName(system), ...content.systems[system].roles[place].map(roleNames)]);
    if (!rows.length) return "";
    return dataTable(["roles", "found", "lost", "invented"], rows, { texts: [1, 2, 3] });
  },
});

function roleNames(names) {
  return element("span", {}, names.length ? names.join(", ") : "\u2013");
}
