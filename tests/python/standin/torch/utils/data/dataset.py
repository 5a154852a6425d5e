# SPDX-License-Identifier: MIT


class Dataset:
    def __getitem__(self, idx):
        raise NotImplementedError


class IterableDataset(Dataset):
    pass


class Subset(Dataset):
    def __init__(self, dataset, indices):
        self.dataset = dataset
        self.indices = indices

    def __len__(self):
        return len(self.indices)

    def __getitem__(self, idx):
        return self.dataset[self.indices[idx]]

    def __getitems__(self, indices):
        return [self.dataset[self.indices[i]] for i in indices]
