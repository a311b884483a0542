import { type NotificationSettings, reasons, reasonWords } from '@kith/contract/notifications'
import { roleMay } from '@kith/contract/permissions'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { notificationSettingsQuery, updateNotificationSettings } from '../../../api/notifications.ts'
import { startQuery } from '../../../api/session.ts'
import { useSlug, useWorkspace } from '../../../api/workspace.ts'
import { Select } from '../../../components/select.tsx'
import { ErrorState } from '../../../components/states.tsx'
import { useAction } from '../../../forms/save.ts'
import { Page, RowSkeletons, Rows } from '../page.tsx'

const modes = [
  { value: 'at_once', label: 'Mail at once' },
  { value: 'digest', label: 'Daily digest' },
  { value: 'none', label: 'No mail' },
] as const

const BY_MAIL =
  'Choose which you also want by mail: about five minutes later, those of one record together, or once a day at 8 in the ' +
  'time zone of your profile.'
const NO_MAIL = 'This installation sends no mail.'

/** For which reasons the user wants mail. The inbox has everything. */
export function Notifications() {
  const slug = useSlug()
  const queries = useQueryClient()
  const { role } = useWorkspace()
  const { data: start } = useQuery({ ...startQuery, staleTime: Number.POSITIVE_INFINITY })
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
      text={`Your inbox in this workspace has all of them. ${start?.mail === false ? NO_MAIL : BY_MAIL}`}
    >
      {error && <ErrorState error={error} onRetry={refetch} />}
      {!settings && !error && <RowSkeletons />}
      {settings && (
        <Rows label="Reasons">
          {shown.map((reason) => {
            const [name, when] = reasonWords[reason]
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
