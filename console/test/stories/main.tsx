// Shows the parts that areas are built of, one by one; built for the tests alone.
import 'virtual:mantine-styles'
import '../../src/styles.css'
import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, createRootRoute, createRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { createRoot } from 'react-dom/client'
import { queryClient } from '../../src/api.ts'
import { Toasts } from '../../src/parts/toast.tsx'
import { cssVariables, theme } from '../../src/theme.ts'
import { Stories } from './stories.tsx'

const root = createRootRoute()
const story = createRoute({ getParentRoute: () => root, path: '/w/$workspaceId', component: Stories })
const history = createMemoryHistory({ initialEntries: [`/w/${window.location.hash.slice(1)}`] })
const router = createRouter({ routeTree: root.addChildren([story]), history })

const place = document.getElementById('root')
if (!place) throw new Error('The page has no root element.')

createRoot(place).render(
  <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto">
    <Toasts />
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router as never} />
    </QueryClientProvider>
  </MantineProvider>,
)
