import { queryOptions, useQuery } from '@tanstack/react-query';
import { Car, ClipboardList, Plus, ShoppingBasket, X } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { api } from '#web/api.ts';
import { sentence } from '#web/explain.ts';
import { DraftNotice } from '#web/DraftNotice.tsx';
import { queryClient } from '#web/queries.ts';
import { useDraft } from '#web/useDraft.ts';
import { useNow } from '#web/useNow.ts';
import { useUser } from '#web/useSession.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { isBlank } from '#wire/blank.ts';
import type { Event } from '#features/events/contract.ts';
import { fullName, isRunner as runs } from '#features/members/rules.ts';
import type { Slot, SlotKind } from '#features/events/slots/contract.ts';
import { offersEnough, placesFor, whyIsListClosed } from '#features/events/slots/rules.ts';
import type { ClubOfUser } from '#features/users/contract.ts';
import { NotSaved } from '#ui/Banner.tsx';
import { Button } from '#ui/Button.tsx';
import { Card } from '#ui/Card.tsx';
import { Field } from '#ui/Field.tsx';
import { IconButton } from '#ui/IconButton.tsx';
import { LazyConfirmDialog } from '#ui/LazyConfirmDialog.tsx';
import { NumberStepper } from '#ui/NumberStepper.tsx';
import { Section } from '#ui/Section.tsx';
import { SegmentedControl } from '#ui/SegmentedControl.tsx';
import { TextInput } from '#ui/TextInput.tsx';
import { t } from '#features/events/slots/messages.ts';

const slotsOf = (event: string) =>
  queryOptions({ queryKey: ['slots', event], queryFn: () => api.slots.list({ event }) });

/** A mutation whose response is the new list, which replaces the cached one. */
function useChange<Input>(event: string, mutationFn: (input: Input) => Promise<{ slots: Slot[] }>) {
  return useSubmit({
    mutationFn,
    onSuccess: (list) => void queryClient.setQueryData(slotsOf(event).queryKey, list),
  });
}

/** The bring list, lifts and tasks of an event. Members see this section once it has an entry. */
export function Slots({ event, club }: { event: Event; club: ClubOfUser }) {
  const now = useNow();
  const me = useUser().id;
  const { data } = useQuery(slotsOf(event.id));
  const [isAdding, setIsAdding] = useState(false);
  const isRunner = runs(club, event);
  const isOpen = !whyIsListClosed(event, now);
  const mayAdd = isOpen && (isRunner || event.my_answer === 'going');
  if (!data) return null;
  const { slots } = data;
  if (slots.length === 0 && !(isRunner && isOpen)) return null;
  const hasOffered = mayAdd && !isRunner && offersEnough(slots, me);
  const form = isAdding && <NewSlot event={event.id} isRunner={isRunner} onDone={() => setIsAdding(false)} />;
  if (slots.length === 0)
    return (
      form || (
        <Button variant="secondary" className="self-start offline:hidden" onClick={() => setIsAdding(true)}>
          <Plus aria-hidden />
          {t('addFirst')}
        </Button>
      )
    );
  return (
    <Section
      title={t('title')}
      actions={
        mayAdd &&
        !hasOffered &&
        !isAdding && (
          <Button variant="secondary" size="sm" className="offline:hidden" onClick={() => setIsAdding(true)}>
            {isRunner ? t('addMore') : t('offerLift')}
          </Button>
        )
      }
    >
      <div className="flex flex-col gap-4">
        <Card asChild flush>
          <ul aria-label={t('title')} className="divide-y divide-line">
            {slots.map((slot) => (
              <Row key={slot.id} event={event.id} slot={slot} isRunner={isRunner} isOpen={isOpen} />
            ))}
          </ul>
        </Card>
        {hasOffered ? <p className="text-sm text-muted">{t('twoLifts')}</p> : form}
      </div>
    </Section>
  );
}

const icons = { bring: ShoppingBasket, lift: Car, task: ClipboardList };
const claimTexts = () => ({ bring: t('claimBring'), lift: t('claimLift'), task: t('claimTask') });

type RowProps = { event: string; slot: Slot; isRunner: boolean; isOpen: boolean };

function Row({ event, slot, isRunner, isOpen }: RowProps) {
  const me = useUser().id;
  const [isAsking, setAsking] = useState(false);
  const claim = useChange(event, (places: number) => api.slots.claim({ slot: slot.id, places }));
  const remove = useChange(event, () => api.slots.remove({ slot: slot.id }));
  const { kind, title, places, by, claims } = slot;
  const Icon = icons[kind];
  const mine = claims.find(({ id }) => id === me)?.places ?? 0;
  const most = placesFor(me, slot);
  const isOwn = by?.id === me;
  const failure = claim.error ?? remove.error;
  const takers = claims.map((each) => t('takenBy', { name: fullName(each), n: each.places }));
  return (
    <li className="flex flex-wrap items-start gap-x-3 gap-y-2 px-4 py-3">
      <Icon aria-hidden className="mt-0.5 size-5 shrink-0 text-accent" />
      <div className="min-w-0 grow basis-40">
        <p className="font-semibold wrap-anywhere">{title}</p>
        <p className="text-sm text-muted">
          {t('placesLeft', { n: most - mine, all: places })}
          {kind === 'lift' && by && <span>{` · ${t('by', { name: fullName(by) })}`}</span>}
        </p>
        {takers.length > 0 && <p className="mt-1 text-sm wrap-anywhere">{takers.join(', ')}</p>}
        <NotSaved title={t('notSaved')} reason={failure && sentence(failure)} advice="" />
      </div>
      {isOpen && (
        <div className="ml-auto flex items-center gap-1 offline:hidden">
          {mine > 0 ? (
            <NumberStepper
              aria-label={t('mine', { title })}
              className="w-36"
              value={mine}
              max={most}
              disabled={claim.isPending}
              onChange={(number) => claim.mutate(number)}
            />
          ) : (
            most > 0 &&
            !(kind === 'lift' && isOwn) && (
              <Button
                variant="secondary"
                size="sm"
                busy={claim.isPending}
                aria-label={t('claimOf', { claim: claimTexts()[kind], title })}
                onClick={() => claim.mutate(1)}
              >
                {claimTexts()[kind]}
              </Button>
            )
          )}
          {(isRunner || isOwn) && (
            <IconButton
              icon={X}
              label={t('remove', { title })}
              onClick={() => (claims.length > 0 ? setAsking(true) : remove.mutate(undefined))}
            />
          )}
        </div>
      )}
      <LazyConfirmDialog
        open={isAsking}
        onOpenChange={setAsking}
        title={t('removeTitle', { title })}
        text={t(kind === 'lift' ? 'removeLiftText' : 'removeText', { n: claims.length })}
        confirmLabel={t('removeIt')}
        cancelLabel={t('keepIt')}
        danger
        busy={remove.isPending}
        busyLabel={t('removing')}
        onConfirm={() => remove.mutate(undefined, { onSettled: () => setAsking(false) })}
      />
    </li>
  );
}

const kinds = () =>
  [
    { value: 'bring', label: t('bring') },
    { value: 'lift', label: t('lift') },
    { value: 'task', label: t('task') },
  ] as const satisfies { value: SlotKind; label: string }[];
const titleTexts = () => ({ bring: t('whatToBring'), lift: t('whereFrom'), task: t('whatToDo') });
const hints = () => ({ bring: t('bringHint'), lift: t('liftHint'), task: t('taskHint') });
const placesTexts = () => ({ bring: t('howMany'), lift: t('seats'), task: t('people') });

type NewSlotProps = { event: string; isRunner: boolean; onDone: () => void };

/** Hosts can add anything; other members can offer a lift. */
function NewSlot({ event, isRunner, onDone }: NewSlotProps) {
  const [slot, setSlot, kept] = useDraft<Pick<Slot, 'kind' | 'title' | 'places'>>(`new-slot:${event}`, {
    kind: isRunner ? 'bring' : 'lift',
    title: '',
    places: 1,
  });
  const { kind, title, places } = slot;
  const [tried, setTried] = useState(false);
  const add = useChange(event, (slot: Pick<Slot, 'kind' | 'title' | 'places'>) =>
    api.slots.create({ event, ...slot }),
  );
  const isTitled = !isBlank(title);
  const submit = (submitted: FormEvent) => {
    submitted.preventDefault();
    setTried(!isTitled);
    if (!isTitled) return;
    add.mutate(
      { kind, title: title.trim(), places },
      {
        onSuccess: () => {
          kept.forget();
          onDone();
        },
      },
    );
  };
  return (
    <Card asChild>
      <form
        noValidate
        aria-label={isRunner ? t('addMore') : t('offerLift')}
        onSubmit={submit}
        className="flex flex-col gap-5"
      >
        <DraftNotice of={kept} />
        {isRunner && (
          <SegmentedControl
            label={t('kind')}
            options={kinds()}
            value={kind}
            onChange={(next) => setSlot({ ...slot, kind: next })}
            className="self-start"
          />
        )}
        <Field label={titleTexts()[kind]} error={tried && !isTitled && t('titleMissing')} required>
          <TextInput
            maxLength={100}
            autoComplete="off"
            placeholder={hints()[kind]}
            value={title}
            onChange={({ target }) => setSlot({ ...slot, title: target.value })}
          />
        </Field>
        <Field label={placesTexts()[kind]}>
          <NumberStepper
            value={places}
            min={1}
            max={50}
            onChange={(next) => setSlot({ ...slot, places: next })}
          />
        </Field>
        <NotSaved title={t('notSaved')} reason={add.error && sentence(add.error)} />
        <div className="flex flex-wrap justify-end gap-2">
          <Button variant="ghost" onClick={onDone}>
            {t('cancel')}
          </Button>
          <Button type="submit" busy={add.isPending} busyLabel={t('adding')}>
            {t('add')}
          </Button>
        </div>
      </form>
    </Card>
  );
}
