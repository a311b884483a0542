import { Link } from '@tanstack/react-router'
import { CirclePause } from 'lucide-react'
import { useWorkspace } from '../api/workspace.ts'
import { EmptyState } from '../components/states.tsx'
import { Header } from './header.tsx'

/** Replaces the screens of a workspace whose trial or subscription has ended. Its settings stay open. */
export function Paused() {
  const { slug, name } = useWorkspace()
  return (
    <>
      <Header title={name} />
      <div className="grid min-h-0 flex-1 content-center overflow-y-auto">
        <EmptyState
          icon={CirclePause}
          title="This workspace is paused"
          text="Its trial or subscription has ended. Your data is safe: everything is available again once an owner subscribes."
        >
          <Link
            to="/$workspace/settings/$page"
            params={{ workspace: slug, page: 'billing' }}
            className="inline-flex h-8 items-center rounded-md bg-accent px-3 text-sm font-medium text-on-accent hover:bg-accent-strong"
          >
            Go to billing
          </Link>
        </EmptyState>
      </div>
    </>
  )
}
