// Agreement as a page of its own; there is no item to open, so a click says which text it is.

startTheme();
showAgreement(JSON.parse(byId("data-agreement").textContent), (item, text) => toast(text));
