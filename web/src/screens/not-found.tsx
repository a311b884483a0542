import { Link } from '@tanstack/react-router'
import { Compass } from 'lucide-react'
import { EmptyState } from '../components/empty-state.tsx'

/** For addresses at which there is nothing, or nothing that this person may see. */
export function NotFound() {
  return (
    <div className="grid min-h-full content-center">
      <EmptyState
        icon={Compass}
        title="There is nothing here"
        text="The address may be wrong, the record may have been deleted, or the workspace is not yours."
      >
        <Link to="/" className="inline-flex h-8 items-center rounded-md border border-edge px-3 text-sm hover:bg-hover">
          Go home
        </Link>
      </EmptyState>
    </div>
  )
}
