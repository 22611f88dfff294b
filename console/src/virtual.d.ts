// What contract_plugin.ts puts into the build.
declare module 'virtual:contract' {
  export const areas: readonly import('./contract.ts').IndexedArea[]
  export const loaders: Readonly<Record<string, () => Promise<unknown>>>
}
declare module 'virtual:contract/*' {}
// What styles_plugin.ts puts into the build.
declare module 'virtual:mantine-styles' {}
