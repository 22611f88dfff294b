// Brings the styles of Mantine's components along with the components: a page loads those of what it draws.
import type { Plugin } from 'vite'

const base = 'virtual:mantine-styles'
const ofComponent = /@mantine\/core\/esm\/.*\/(\w+)\.module\.mjs$/

/** In a layer, so that the console's own rules count, whichever file comes first. */
const importOf = (name: string) => `import '@mantine/core/${name}.layer.css'\n`

export function componentStyles(): Plugin {
  let isBuild = false
  return {
    name: 'atrium-component-styles',
    configResolved({ command }) {
      isBuild = command === 'build'
    },
    resolveId: id => (id === base ? `\0${base}` : undefined),
    load(id) {
      if (id !== `\0${base}`) return
      // While developing, packages are bundled beforehand and pass no plugin.
      const files = isBuild ? ['baseline', 'default-css-variables', 'global'].map(name => `styles/${name}`) : ['styles']
      return files.map(importOf).join('')
    },
    transform(code, id) {
      const [, name] = (isBuild && ofComponent.exec(id)) || []
      return name ? { code: importOf(`styles/${name}`) + code, map: null } : undefined
    },
  }
}
