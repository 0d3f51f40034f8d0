/** The style of the API reference, light and dark, for wide and narrow windows. */
export const style = `
:root { color-scheme: light dark; --ink: #1c2024; --soft: #5b616a; --line: #e3e5e9; --ground: #ffffff; --side: #f8f9fb;
  --code: #f1f3f6; --link: #0b5cad; --mark: #e7f0fb; --get: #17724a; --post: #0b5cad; --patch: #8f5400; --delete: #b3261e }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e8eb; --soft: #a3a9b1; --line: #2d3239; --ground: #14171a; --side: #191d21; --code: #20252b;
    --link: #7cb8ff; --mark: #1d2c3f; --get: #5fd39a; --post: #7cb8ff; --patch: #f0b45c; --delete: #ff8f87 }
}
* { box-sizing: border-box }
html { scroll-padding-top: 5rem }
body { margin: 0; background: var(--ground); color: var(--ink); font: 1rem/1.6 system-ui, -apple-system, "Segoe UI", sans-serif;
  display: grid; grid-template-columns: 16rem minmax(0, 1fr); grid-template-rows: auto 1fr }
a { color: var(--link); text-decoration: none }
a:hover { text-decoration: underline }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: .2rem }
.skip { position: absolute; left: -99rem; top: .5rem; z-index: 3; padding: .4rem .8rem; background: var(--ground) }
.skip:focus { left: .5rem }
.hidden { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden }

header { grid-column: 1 / -1; position: sticky; top: 0; z-index: 2; display: flex; gap: 1rem; align-items: center; height: 3.5rem;
  padding: 0 1.25rem; background: var(--ground); border-bottom: 1px solid var(--line) }
.brand { width: 13.75rem; font-weight: 650; font-size: 1.05rem; color: var(--ink) }
.brand span { font-weight: 400; color: var(--soft) }
.brand:hover { text-decoration: none }
form { display: flex; flex: 1; min-width: 0; max-width: 32rem; gap: .5rem }
input, button { font: inherit; font-size: .9rem; color: inherit; border: 1px solid var(--line); border-radius: .4rem; padding: .3rem .7rem }
input { flex: 1; min-width: 0; background: var(--side) }
input::placeholder { color: var(--soft); opacity: 1 }
button { background: var(--code); cursor: pointer }
.menu, .here { display: none }

nav { position: sticky; inset: 3.5rem auto auto; align-self: start; display: block; height: calc(100vh - 3.5rem); overflow-y: auto; padding: .5rem 1rem 2rem;
  background: var(--side); color: var(--ink); border: 0; border-right: 1px solid var(--line); font-size: .9rem; margin: 0; width: auto }
nav .group { margin: 1.25rem .5rem .3rem; font-size: .75rem; font-weight: 600; letter-spacing: .05em; text-transform: uppercase; color: var(--soft) }
nav ul { list-style: none; margin: 0; padding: 0 }
nav a { display: block; padding: .18rem .5rem; border-radius: .3rem; color: var(--ink); overflow-wrap: anywhere }
nav a:hover { background: var(--code); text-decoration: none }
nav a[aria-current] { background: var(--mark); color: var(--link); font-weight: 600 }
nav ul ul { margin: .2rem 0 .4rem .5rem; padding-left: .35rem; border-left: 1px solid var(--line); font-size: .85rem }
nav ul ul a { color: var(--soft) }
nav a[href^="#schema-"] { font: .78rem/1.7 ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace }

main { padding: 2rem 2.5rem 6rem; max-width: 84rem; width: 100% }
h1 { margin: 0 0 .5rem; font-size: 1.9rem; line-height: 1.2; letter-spacing: -.01em }
h2 { margin: 0 0 .5rem; font-size: 1.3rem; line-height: 1.3 }
h3 { margin: 1.5rem 0 .4rem; font-size: .95rem }
main > h2, section > h2, .guide h2 { margin-top: 2.75rem }
main > h3 { margin-top: 1.75rem; font-size: 1.05rem }
h2 a, dt > a { color: inherit }
h2 a:hover::after { content: " #"; color: var(--soft) }
p, main > ul, .guide > ul, .guide > ol { margin: .5rem 0; max-width: 46rem }
.lead { color: var(--soft); font-size: 1.05rem; overflow-wrap: anywhere }
.soft, .type { color: var(--soft) }
.type { font-size: .85rem }
article { padding: 2.25rem 0 2rem; border-top: 1px solid var(--line) }
.lead + article { margin-top: 1.5rem }
article > * { min-width: 0 }

code, pre { font: .86em/1.55 ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace }
code { background: var(--code); padding: .1em .3em; border-radius: .25rem; overflow-wrap: anywhere }
pre { background: var(--code); border-radius: .4rem; padding: .8rem 1rem; margin: 0; overflow: auto; max-height: 32rem }
pre code { background: none; padding: 0; font-size: .93em; overflow-wrap: normal }
.guide pre { margin: .9rem 0; max-width: 62rem; max-height: none; font-size: .85rem }
.guide pre:has(.language-text, .language-json) { background: none; border: 1px solid var(--line) }
.guide li { margin: .3rem 0 }
.sample { margin: 0 0 1rem; max-width: 46rem }
.sample figcaption { margin: 0 0 .3rem; font-size: .8rem; font-weight: 600; color: var(--soft) }
.sample pre { font-size: .85rem; white-space: pre-wrap; overflow-wrap: anywhere }
.sample code { overflow-wrap: inherit }
.call { white-space: nowrap; overflow-x: auto }
.call code { font-size: .9rem }
.verb { display: inline-block; font: 600 .78rem/1 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; min-width: 3.4rem }
.get { color: var(--get) } .post { color: var(--post) } .patch, .put { color: var(--patch) } .delete { color: var(--delete) }

.members { margin: .25rem 0 0; max-width: 56rem; border-top: 1px solid var(--line) }
.members > div { padding: .6rem 0; border-bottom: 1px solid var(--line) }
.members > div:target, article:target > div > h2 { background: var(--mark); box-shadow: 0 0 0 .4rem var(--mark); border-radius: .1rem }
.members .members { margin: .5rem 0 0 1rem } .members .members > :last-child { border-bottom: 0; padding-bottom: 0 }
.nowrap { white-space: nowrap }
.members dt code { font-weight: 600; background: none; padding: 0 }
.members dd { margin: .15rem 0 0; font-size: .925rem }
.members dd p { margin: .15rem 0 }
.need { color: var(--delete); font-size: .8rem }
.rules { list-style: none; display: flex; flex-wrap: wrap; gap: .1rem .9rem; margin: .2rem 0 0; padding: 0; font-size: .85rem; color: var(--soft) }
.rules code { font-size: .95em }
.variant { margin: .75rem 0 }
.variant .members { margin-left: 1rem }
details { margin: .3rem 0 } summary { cursor: pointer; color: var(--link); font-size: .9rem }
.plain { list-style: none; padding: 0; columns: 14rem; font-size: .9rem }
.plain li { break-inside: avoid; padding: .1rem 0 }
.results { list-style: none; padding: 0; max-width: 56rem } .results li { padding: .7rem 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere }
.results p { margin: 0 } .results .soft { font-size: .9rem }

table { border-collapse: collapse; font-size: .925rem; margin: .5rem 0 1rem; width: 100%; max-width: 56rem }
th { text-align: left; font-size: .8rem; font-weight: 600; color: var(--soft) }
th, td { padding: .35rem 1rem .35rem 0; border-bottom: 1px solid var(--line); vertical-align: top }
td.call { width: 60% }

@media (min-width: 78rem) {
  article { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 26rem); gap: 0 2.5rem }
  article > :only-child { grid-column: 1 / -1; max-width: 56rem }
  .samples { position: sticky; top: 5rem; align-self: start }
  .samples pre { max-height: calc(50vh - 6rem) }
}
@media (max-width: 56rem) {
  body { display: block }
  header { gap: .5rem; padding: 0 .75rem }
  .brand { width: auto } .brand span, form button { display: none }
  .menu, .here { display: block }
  .here { margin: 0 0 1.25rem } .here ul { margin: .3rem 0; padding-left: 1.2rem } .here li { padding: .15rem 0 }
  main { padding: 1.25rem 1rem 4rem }
  nav { position: static; height: auto; border-right: 0 }
  nav ul ul { display: none }
  .samples { margin-top: 1.25rem }
  td.call { width: auto; white-space: normal }
}
@supports selector(:popover-open) {
  @media (max-width: 56rem) {
    nav { position: fixed; inset: 3.5rem 0 0 auto; width: min(20rem, 90vw); border-left: 1px solid var(--line) }
    nav:not(:popover-open) { display: none }
  }
}
@media print { header, nav, .samples { display: none } body { display: block } pre { max-height: none } }
`
