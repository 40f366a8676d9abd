import type { ReactNode } from 'react';
import type { UpdatePicture } from '#features/updates/contract.ts';
import { Field } from '#ui/Field.tsx';
import { TextArea } from '#ui/TextArea.tsx';
import { UpdatePictures } from './UpdatePictures.tsx';
import { t } from '#features/updates/form-messages.ts';

export interface UpdateDraft {
  content: string;
  pictures: UpdatePicture[];
}

export const namesOf = (pictures: readonly UpdatePicture[]): string[] => pictures.map(({ name }) => name);

export interface PostFieldsProps {
  label?: string;
  club: string;
  draft: UpdateDraft;
  /** A function gets the latest draft, because the user may have edited it during an upload. */
  onChange: (change: Partial<UpdateDraft> | ((latest: UpdateDraft) => Partial<UpdateDraft>)) => void;
  onUploading: (isUploading: boolean) => void;
  maxLength: number;
  rows?: number;
  autoFocus?: boolean;
  hint?: ReactNode;
  error?: ReactNode;
  disabled?: boolean;
}

/** The text and the pictures of an update or of a message about an event. */
export function PostFields({
  label = t('content'),
  club,
  draft,
  onChange,
  onUploading,
  maxLength,
  rows = 8,
  autoFocus = false,
  hint,
  error,
  disabled = false,
}: PostFieldsProps) {
  return (
    <>
      <Field label={label} hint={hint} error={error}>
        <TextArea
          rows={rows}
          value={draft.content}
          maxLength={maxLength}
          autoFocus={autoFocus}
          disabled={disabled}
          onChange={({ target }) => onChange({ content: target.value })}
        />
      </Field>
      {!disabled && (
        <UpdatePictures
          club={club}
          pictures={draft.pictures}
          onChange={(next) => onChange(({ pictures }) => ({ pictures: next(pictures) }))}
          onUploading={onUploading}
        />
      )}
    </>
  );
}
