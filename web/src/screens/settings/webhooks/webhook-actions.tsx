import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Ellipsis, KeyRound, Pause, Pencil, Play, Send, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { deliveryQuery, removeWebhook, sendTest, type Webhook, webhooksKey } from '../../../api/webhooks.ts'
import { useSlug } from '../../../api/workspace.ts'
import { Button } from '../../../components/button.tsx'
import { Confirm } from '../../../components/confirm.tsx'
import { IconButton } from '../../../components/icon-button.tsx'
import { Menu, MenuContent, MenuItem, MenuLine, MenuTrigger } from '../../../components/menu.tsx'
import { showToast } from '../../../components/toast-store.ts'
import { RotateDialog } from './rotate-dialog.tsx'
import { useStateChange } from './webhook-health.tsx'

type Props = { webhook: Webhook; onSecret(secret: string): void }

/** What can be done with a webhook. A test shows its delivery at once. */
export function WebhookActions({ webhook: { id, attributes }, onSecret }: Props) {
  const slug = useSlug()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [opened, setOpened] = useState<'rotate' | 'delete'>()
  const change = useStateChange(id)
  const testing = useMutation({
    mutationFn: () => sendTest(slug, id),
    onSuccess: async (delivery) => {
      queries.setQueryData(deliveryQuery(slug, id, delivery.id).queryKey, delivery)
      await navigate({ to: '.', search: { webhook: id, delivery: delivery.id } })
    },
    onError: tell,
    onSettled: () => queries.invalidateQueries({ queryKey: webhooksKey(slug) }),
  })
  const removing = useMutation({
    mutationFn: () => removeWebhook(slug, id),
    onSuccess: async () => {
      showToast({ message: 'Deleted the webhook' })
      await navigate({ to: '.', search: {} })
      queries.removeQueries({ queryKey: [...webhooksKey(slug), id] })
      await queries.invalidateQueries({ queryKey: webhooksKey(slug) })
    },
    onError: tell,
  })
  return (
    <div className="flex flex-wrap gap-2">
      <Button disabled={testing.isPending} onClick={() => testing.mutate()}>
        <Send aria-hidden />
        {testing.isPending ? 'Sending…' : 'Send test event'}
      </Button>
      {attributes.state === 'paused' && (
        <Button look="primary" disabled={change.isPending} onClick={() => change.mutate({ state: 'active' })}>
          <Play aria-hidden />
          Resume
        </Button>
      )}
      <Menu>
        <MenuTrigger asChild>
          <IconButton label="More" look="plain">
            <Ellipsis aria-hidden />
          </IconButton>
        </MenuTrigger>
        <MenuContent align="end">
          <MenuItem
            icon={<Pencil aria-hidden />}
            onSelect={() => navigate({ to: '.', search: { webhook: id, edit: true } })}
          >
            Edit
          </MenuItem>
          {(attributes.state === 'active' || attributes.state === 'failing') && (
            <MenuItem icon={<Pause aria-hidden />} onSelect={() => change.mutate({ state: 'paused' })}>
              Pause
            </MenuItem>
          )}
          <MenuItem icon={<KeyRound aria-hidden />} onSelect={() => setOpened('rotate')}>
            Rotate the secret
          </MenuItem>
          <MenuLine />
          <MenuItem danger icon={<Trash2 aria-hidden />} onSelect={() => setOpened('delete')}>
            Delete
          </MenuItem>
        </MenuContent>
      </Menu>
      {opened === 'rotate' && <RotateDialog id={id} onSecret={onSecret} onClose={() => setOpened(undefined)} />}
      <Confirm
        open={opened === 'delete'}
        onOpenChange={(open) => setOpened(open ? 'delete' : undefined)}
        title="Delete this webhook?"
        action="Delete"
        onConfirm={() => removing.mutate()}
      >
        Nothing more is sent to <span className="wrap-anywhere text-ink">{attributes.url}</span>. Its log is deleted
        too. This cannot be undone.
      </Confirm>
    </div>
  )
}

function tell({ message }: Error): void {
  showToast({ tone: 'danger', message })
}
