/** Adds a style to the page. A module calls it when it is loaded, so that what it shows never appears without its style. */
export const adoptStyle = (text: string): void => {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(text)
  document.adoptedStyleSheets.push(sheet)
}
