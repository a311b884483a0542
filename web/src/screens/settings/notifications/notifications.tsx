import { type NotificationSettings, type Reason, reasons } from '@kith/contract/notifications'
import { roleMay } from '@kith/contract/permissions'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { notificationSettingsQuery, updateNotificationSettings } from '../../../api/notifications.ts'
import { useSlug, useWorkspace } from '../../../api/workspace.ts'
import { Select } from '../../../components/select.tsx'
import { ErrorState } from '../../../components/states.tsx'
import { useAction } from '../../../forms/save.ts'
import { Page, RowSkeletons, Rows } from '../page.tsx'

const words: Readonly<Record<Reason, readonly [name: string, when: string]>> = {
  mentioned: ['Mentions', 'A comment mentions you.'],
  replied: ['Replies', 'Someone replies to a comment of yours.'],
  assigned: ['Assignments', 'A task or a record is assigned to you.'],
  commented: ['Comments', 'Someone comments on a record that you follow.'],
  due: ['Due tasks', 'A task of yours is due.'],
  import: ['Imports', 'An import of yours has ended.'],
  webhook: ['Webhooks', 'A webhook of yours fails.'],
  joined: ['New members', 'Someone joins the workspace.'],
}

const modes = [
  { value: 'at_once', label: 'Mail at once' },
  { value: 'digest', label: 'Daily digest' },
  { value: 'none', label: 'No mail' },
] as const

/** For which reasons the user wants mail. The inbox has everything. */
export function Notifications() {
  const slug = useSlug()
  const queries = useQueryClient()
  const { role } = useWorkspace()
  const query = notificationSettingsQuery(slug)
  const { data: settings, error, refetch } = useQuery(query)
  const saving = useAction(
    (change: Partial<NotificationSettings>) => {
      queries.setQueryData(query.queryKey, (known) => known && { ...known, ...change })
      return updateNotificationSettings(slug, change)
    },
    { reload: [query.queryKey] },
  )
  // Others are not notified of new members.
  const shown = reasons.filter((reason) => reason !== 'joined' || roleMay(role, 'manage_members'))
  return (
    <Page
      title="Notifications"
      text="Your inbox in this workspace has all of them. Choose which you also want by mail. This version stores your choice; it sends no mail about notifications yet."
    >
      {error && <ErrorState error={error} onRetry={refetch} />}
      {!settings && !error && <RowSkeletons />}
      {settings && (
        <Rows label="Reasons">
          {shown.map((reason) => {
            const [name, when] = words[reason]
            return (
              <li key={reason} className="flex items-center justify-between gap-4 py-2.5">
                <div className="min-w-0 flex-1">
                  <p className="text-sm font-medium">{name}</p>
                  <p className="text-xs text-faint">{when}</p>
                </div>
                <div className="w-36 shrink-0">
                  <Select
                    label={`Mail about ${name.toLowerCase()}`}
                    value={settings[reason]}
                    onValueChange={(value) => {
                      const mode = modes.find((one) => one.value === value)
                      if (mode) saving.mutate({ [reason]: mode.value })
                    }}
                    choices={modes}
                  />
                </div>
              </li>
            )
          })}
        </Rows>
      )}
    </Page>
  )
}
