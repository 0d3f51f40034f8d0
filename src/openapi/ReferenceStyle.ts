/** How the API reference looks, by day and by night. */
export const referenceStyle = `
:root { color-scheme: light dark; --ink: #1c2024; --soft: #60646c; --line: #e2e4e8; --ground: #ffffff; --side: #f7f8fa;
  --code: #f1f3f6; --link: #0b5cad; --get: #1a7f4b; --post: #0b5cad; --patch: #9a5b00; --delete: #b3261e }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e8eb; --soft: #9ba1a9; --line: #2c3138; --ground: #14171a; --side: #191d21; --code: #1f2429;
    --link: #7cb8ff; --get: #5fd39a; --post: #7cb8ff; --patch: #f0b45c; --delete: #ff8f87 }
}
* { box-sizing: border-box }
html { scroll-padding-top: 1rem }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.55 system-ui, sans-serif; display: grid;
  grid-template-columns: 17rem minmax(0, 1fr) }
a { color: var(--link); text-decoration: none }
a:hover, a:focus-visible { text-decoration: underline }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.25rem 1rem; background: var(--side);
  border-right: 1px solid var(--line); font-size: .875rem }
nav h2 { font-size: .75rem; letter-spacing: .05em; text-transform: uppercase; color: var(--soft); margin: 1.25rem 0 .25rem }
nav ul { list-style: none; margin: 0; padding: 0 }
nav li a { display: block; padding: .15rem .5rem; border-radius: .25rem; color: var(--ink) }
nav li a:hover { background: var(--code); text-decoration: none }
main { padding: 2rem clamp(1rem, 4vw, 4rem) 6rem; max-width: 62rem; width: 100% }
h1 { margin: 0; font-size: 2rem; line-height: 1.2 }
main > section > h2 { margin: 3.5rem 0 .5rem; padding-bottom: .35rem; border-bottom: 1px solid var(--line); font-size: 1.5rem }
article { padding: 1.75rem 0 .5rem; border-bottom: 1px solid var(--line) }
article:last-child { border-bottom: 0 }
h3 { margin: 0 0 .4rem; font-size: 1.15rem }
h3 a { color: inherit }
h4 { margin: 1.25rem 0 .35rem; font-size: .8rem; letter-spacing: .04em; text-transform: uppercase; color: var(--soft) }
p { margin: .5rem 0; max-width: 46rem }
.soft { color: var(--soft) }
code, pre { font: .85em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace }
code { background: var(--code); padding: .1em .3em; border-radius: .25rem; overflow-wrap: anywhere }
pre { background: var(--code); border-radius: .375rem; padding: .75rem 1rem; margin: .35rem 0; overflow-x: auto; max-height: 30rem }
pre code { background: none; padding: 0; overflow-wrap: normal }
.call { display: flex; gap: .6rem; align-items: baseline; margin: .25rem 0 .5rem; overflow-wrap: anywhere }
.verb { font: 600 .8rem/1 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; min-width: 3.6rem }
.get { color: var(--get) } .post { color: var(--post) } .patch { color: var(--patch) } .delete { color: var(--delete) }
table { width: 100%; border-collapse: collapse; font-size: .9rem }
th { text-align: left; font-weight: 600; color: var(--soft); font-size: .8rem }
th, td { padding: .4rem .75rem .4rem 0; border-top: 1px solid var(--line); vertical-align: top }
td:first-child { width: 13rem } td:nth-child(2) { width: 13rem; color: var(--soft) }
td code { overflow-wrap: normal }
.need { color: var(--delete); font-size: .75rem; margin-left: .35rem }
details { margin: .35rem 0 } summary { cursor: pointer; color: var(--link) }
@media (max-width: 56rem) {
  body { display: block }
  nav { position: static; height: auto; max-height: 40vh; border-right: 0; border-bottom: 1px solid var(--line) }
  table, tbody, tr, td { display: block; width: auto }
  thead { display: none }
  td { border: 0; padding: .1rem 0 }
  td:first-child, td:nth-child(2) { width: auto }
  tr { padding: .5rem 0; border-top: 1px solid var(--line) }
}
@media print { nav { display: none } body { display: block } pre { max-height: none } }
`
