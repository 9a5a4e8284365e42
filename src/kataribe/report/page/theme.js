// Light or dark: as the reader's system has it, until the reader says otherwise.

const THEMES = ["auto", "light", "dark"];
const systemIsDark = matchMedia("(prefers-color-scheme: dark)");
let theme = "auto";

function setTheme(wanted) {
  theme = wanted;
  document.documentElement.dataset.theme = theme === "auto" ? (systemIsDark.matches ? "dark" : "light") : theme;
  byId("theme").textContent = `Theme: ${theme}`;
}

function startTheme() {
  setTheme("auto");
  byId("theme").addEventListener("click", () => setTheme(THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length]));
  systemIsDark.addEventListener("change", () => setTheme(theme));
}
