import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from './api/query-client.ts'
import { Toasts } from './components/toast.tsx'
import { TooltipRoom } from './components/tooltip.tsx'
import { followTyping } from './components/typed.ts'
import { followDrafts } from './drafts/drafts.ts'
import { followStored, startQueue } from './drafts/queue.ts'
import { router } from './routes.tsx'
import { BulkPlace } from './shell/bulk-place.tsx'
import { startUploads } from './uploads/uploads.ts'
import './style.css'

followDrafts()
followStored()
startQueue()
startUploads()
followTyping()
const root = document.getElementById('root')
if (!root) throw new Error('The page has no root.')
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <TooltipRoom>
        <RouterProvider router={router} />
        <Toasts />
        <BulkPlace />
      </TooltipRoom>
    </QueryClientProvider>
  </StrictMode>,
)
