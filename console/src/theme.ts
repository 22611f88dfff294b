// Colours, sizes and defaults of the console; contrast is at least 4.5:1 for text and 3:1 for what can be touched.
import { type CSSVariablesResolver, createTheme, DEFAULT_THEME, type MantineColorsTuple } from '@mantine/core'

const iris: MantineColorsTuple = [
  '#eef0ff',
  '#dadefb',
  '#b3baf2',
  '#8994ea',
  '#6875e3',
  '#5361de',
  '#4654d4',
  '#3b4cca',
  '#3241ae',
  '#27348f',
]

const night: MantineColorsTuple = [
  '#d5d7de',
  '#b9bcc6',
  '#9a9fab',
  '#6b707e',
  '#3c404b',
  '#2e313a',
  '#22252d',
  '#1a1c22',
  '#131418',
  '#0e0f13',
]

export const theme = createTheme({
  primaryColor: 'iris',
  primaryShade: { light: 7, dark: 6 },
  colors: { iris, dark: night },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontFamily: 'Inter, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
  headings: { fontWeight: '650', sizes: { h1: { fontSize: '1.5rem' }, h2: { fontSize: '1.125rem' } } },
  components: {
    Modal: {
      styles: {
        title: { fontWeight: 650 },
        content: { background: 'var(--atrium-surface)' },
        header: { background: 'var(--atrium-surface)' },
      },
      defaultProps: { centered: true, closeButtonProps: { 'aria-label': 'Close' } },
    },
    Tooltip: { defaultProps: { openDelay: 300, withArrow: true } },
    Anchor: { defaultProps: { underline: 'always' } },
    Badge: { defaultProps: { variant: 'light', radius: 'sm', tt: 'none', fw: 600 } },
  },
})

/** Dark enough to be read on the palest tone of the same colour. */
const inks: Readonly<Record<string, string>> = {
  iris: iris[9],
  gray: '#343a40',
  red: '#a51e1e',
  green: '#1a6128',
  yellow: '#6b4200',
  blue: '#12528c',
  orange: '#8a2f06',
}

/** Mantine's own light and dimmed tones miss the contrast that people with weak sight need. */
export const cssVariables: CSSVariablesResolver = () => {
  const light: Record<string, string> = {
    '--mantine-color-dimmed': '#565e67',
    '--mantine-color-placeholder': '#6b727a',
    '--mantine-color-error': '#c92a2a',
    '--mantine-color-anchor': iris[7],
    '--mantine-color-body': '#fbfbfd',
    '--atrium-surface': '#ffffff',
    '--atrium-line': '#e4e6ee',
    '--atrium-edge': '#878e99',
  }
  const dark: Record<string, string> = {
    '--mantine-color-dimmed': '#a9aeb8',
    '--mantine-color-placeholder': '#9499a3',
    '--mantine-color-error': '#ff9f9f',
    '--mantine-color-anchor': iris[2],
    '--mantine-color-body': '#131418',
    '--atrium-surface': '#1a1c22',
    '--atrium-line': '#2e313a',
    '--atrium-edge': '#6f7482',
  }
  for (const [name, ink] of Object.entries(inks)) {
    const tones = name === 'iris' ? iris : DEFAULT_THEME.colors[name]
    const pale = tones?.[1] ?? ''
    dark[`--mantine-color-${name}-light`] = `color-mix(in srgb, ${tones?.[5]} 20%, ${night[7]})`
    dark[`--mantine-color-${name}-light-hover`] = `color-mix(in srgb, ${tones?.[5]} 26%, ${night[7]})`
    for (const use of ['light-color', 'text', 'outline']) {
      light[`--mantine-color-${name}-${use}`] = ink
      dark[`--mantine-color-${name}-${use}`] = pale
    }
  }
  const variables = { '--mantine-color-red-filled': '#c92a2a', '--mantine-color-red-filled-hover': '#b02424' }
  return { variables, light: { ...light, ...variables }, dark: { ...dark, ...variables } }
}
