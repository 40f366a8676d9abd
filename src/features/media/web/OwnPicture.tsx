import { api } from '#web/api.ts';
import type { User } from '#features/users/contract.ts';
import { ownName } from '#features/users/rules.ts';
import { Avatar } from '#ui/Avatar.tsx';
import { PicturePicker } from './PicturePicker.tsx';

export function OwnPicture({ user }: { user: User }) {
  const url = user.profile_picture_url;
  return (
    <PicturePicker
      kind="person"
      isSet={url !== null}
      preview={<Avatar name={ownName(user)} seed={user.id} src={url} size="xl" />}
      send={(file, onProgress) => api.media.setOwn({ file }, onProgress)}
      remove={() => api.media.removeOwn({})}
    />
  );
}
