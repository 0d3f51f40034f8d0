import { escapeHtml } from "../EscapeHtml.ts"

/** Code under a title. Long code can be scrolled with the keyboard. */
export const sample = (title: string, text: string): string =>
  `<figure class="sample"><figcaption>${escapeHtml(title)}</figcaption><pre tabindex="0" role="region" aria-label="${escapeHtml(
    title
  )}"><code>${escapeHtml(text)}</code></pre></figure>`
