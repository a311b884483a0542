import { Outlet, useLocation } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useLiveUpdates } from '../api/live-updates.ts'
import { useSlug, useWorkspace } from '../api/workspace.ts'
import { Sheet } from '../components/sheet.tsx'
import { undoLatest } from '../components/toast-store.ts'
import { KeyList } from '../keyboard/key-list.tsx'
import { listenForShortcuts, UNDO, useShortcut } from '../keyboard/shortcuts.ts'
import { Paused } from './paused.tsx'
import { Sidebar } from './sidebar.tsx'
import { SidebarContext, useSidebarChoice } from './sidebar-choice.ts'
import { UnsavedBar } from './unsaved-bar.tsx'

/** The frame of every screen of a workspace: sidebar, keys and live updates. */
export function Shell() {
  const slug = useSlug()
  const choice = useSidebarChoice()
  const [sheetOpen, setSheetOpen] = useState(false)
  const { href, pathname } = useLocation()
  const { paused } = useWorkspace()
  useLiveUpdates(slug)
  useEffect(listenForShortcuts, [])
  useShortcut(UNDO, 'Undo', () => void undoLatest())
  // biome-ignore lint/correctness/useExhaustiveDependencies: the sheet closes whenever the address changes
  useEffect(() => setSheetOpen(false), [href])
  return (
    <SidebarContext value={{ ...choice, openSheet: () => setSheetOpen(true) }}>
      <div className="flex h-dvh">
        {choice.shown && (
          <div className="hidden w-55 shrink-0 border-r border-line bg-sunk md:block">
            <Sidebar />
          </div>
        )}
        <Sheet open={sheetOpen} onOpenChange={setSheetOpen} title="Navigation">
          <Sidebar />
        </Sheet>
        <main className="flex min-w-0 flex-1 flex-col overflow-hidden">
          <UnsavedBar />
          {paused && !pathname.startsWith(`/${slug}/settings`) ? <Paused /> : <Outlet />}
        </main>
      </div>
      <KeyList />
    </SidebarContext>
  )
}
