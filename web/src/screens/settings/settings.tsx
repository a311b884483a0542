import { Outlet } from '@tanstack/react-router'
import { Header } from '../../shell/header.tsx'

export function Settings() {
  return (
    <>
      <Header title="Settings" />
      <div className="min-h-0 flex-1 overflow-y-auto">
        <Outlet />
      </div>
    </>
  )
}
