import { getRouteApi } from '@tanstack/react-router'
import type { ReactNode } from 'react'

const route = getRouteApi('/$workspace/settings/$page')

export function SettingsPage(): ReactNode {
  const { page } = route.useParams()
  return <div className="mx-auto max-w-180 p-6">{page}</div>
}
