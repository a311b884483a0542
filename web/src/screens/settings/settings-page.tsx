import { getRouteApi } from '@tanstack/react-router'

const route = getRouteApi('/$workspace/settings/$page')

export function SettingsPage() {
  const { page } = route.useParams()
  return <div className="mx-auto max-w-180 p-6">{page}</div>
}
