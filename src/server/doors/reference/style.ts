// The look of the reference page, beyond the colours that it shares with the other pages.

export const style = `
* { box-sizing: border-box }
html { -webkit-text-size-adjust: 100%; scroll-padding-top: 1rem }
body { margin: 0; background: var(--ground); color: var(--text);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif }
a { color: var(--strong) }
code { font-family: ui-monospace, "SFMono-Regular", Menlo, monospace; font-size: .925em; overflow-wrap: anywhere }
pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: .5rem 0; padding: .75rem 1rem; background: var(--ground);
  border: 1px solid var(--line); border-radius: 8px }
:focus-visible { outline: 3px solid var(--strong); outline-offset: 2px }
.skip { position: absolute; left: -100vw } .skip:focus { left: 1rem; top: .5rem; background: var(--card); padding: .5rem }
header { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; align-items: center; justify-content: space-between;
  padding: .75rem 1.25rem; border-bottom: 1px solid var(--line); background: var(--card) }
header p { margin: 0 } .links { display: flex; gap: 1.25rem; flex-wrap: wrap }
.brand { display: flex; align-items: center; gap: .6rem; font-weight: 600 } .brand svg { width: 1.75rem; height: 1.75rem }
.brand a { color: inherit; text-decoration: none }
.columns { display: grid; grid-template-columns: 14rem minmax(0, 1fr); max-width: 76rem; margin: 0 auto }
nav { padding: 1.5rem 1rem; position: sticky; top: 0; align-self: start; max-height: 100vh; overflow: auto }
nav ul { list-style: none; margin: 0; padding: 0 } nav li a { display: block; padding: .2rem .25rem; overflow-wrap: anywhere }
main { padding: 1.5rem 1.25rem 4rem; min-width: 0 }
h1 { font-size: 1.6rem; line-height: 1.3; margin: 0 0 1rem } h2 { font-size: 1.25rem; margin: 2rem 0 .5rem }
h3 { font-size: 1.05rem; margin: 1.25rem 0 .25rem } h4 { font-size: .95rem; margin: 1.25rem 0 .25rem }
p { margin: 0 0 .75rem }
label { display: block; font-weight: 500; margin-bottom: .3rem }
input { width: 100%; min-height: 2.75rem; padding: .5rem .75rem; font: inherit; color: inherit; background: var(--card);
  border: 1px solid #8b8d98; border-radius: 8px }
#found { color: var(--soft); min-height: 1.55em; margin: .35rem 0 0 }
details { background: var(--card); border: 1px solid var(--line); border-radius: 8px; margin: .5rem 0; padding: 0 1rem }
details[open] { padding-bottom: 1rem }
summary { cursor: pointer; padding: .6rem 0; overflow-wrap: anywhere }
summary h3 { display: inline; font-size: 1rem; font-weight: 400 }
.method { display: inline-block; min-width: 4.2rem; font-weight: 700; font-size: .8rem; letter-spacing: .03em }
.method.delete { color: var(--bad) } .method.get { color: var(--strong) }
.what { font-weight: 500 } summary .path { color: var(--soft) } summary .what { margin-left: .25rem }
.id, .type, .must { color: var(--soft); font-size: .9rem; font-weight: 400 } .must { color: var(--warn) }
dl.fields { margin: .25rem 0 0; border-left: 2px solid var(--line); padding-left: .85rem }
dt { margin-top: .5rem } dd { margin: 0 }
[hidden] { display: none !important }
@media (max-width: 48rem) { .columns { display: block } nav { position: static; max-height: none; padding-bottom: 0 }
  nav ul { display: flex; flex-wrap: wrap; gap: 0 .75rem } }
`
