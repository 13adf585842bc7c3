"""The tensors of a CLIP by the names that open_clip has for them."""

import re
from collections.abc import Mapping
from typing import Final

import torch
from torch import Tensor

_THEIRS: Final = "text_model.embeddings.token_embedding.weight"
_WHOLE: Final = {
    "text_model.embeddings.token_embedding.weight": "token_embedding.weight",
    "text_model.embeddings.position_embedding.weight": "positional_embedding",
    "text_model.final_layer_norm.weight": "ln_final.weight",
    "text_model.final_layer_norm.bias": "ln_final.bias",
    "vision_model.embeddings.class_embedding": "visual.class_embedding",
    "vision_model.embeddings.patch_embedding.weight": "visual.conv1.weight",
    "vision_model.embeddings.position_embedding.weight": "visual.positional_embedding",
    # As the package transformers spells it.
    "vision_model.pre_layrnorm.weight": "visual.ln_pre.weight",
    "vision_model.pre_layrnorm.bias": "visual.ln_pre.bias",
    "vision_model.post_layernorm.weight": "visual.ln_post.weight",
    "vision_model.post_layernorm.bias": "visual.ln_post.bias",
    "logit_scale": "logit_scale",
}
_TURNED: Final = {
    "text_projection.weight": "text_projection",
    "visual_projection.weight": "visual.proj",
}
_LAYER: Final = re.compile(r"(text|vision)_model\.encoder\.layers\.(\d+)\.(.+)\.(weight|bias)")
_TOWERS: Final = {"text": "transformer", "vision": "visual.transformer"}
_IN_LAYER: Final = {
    "self_attn.out_proj": "attn.out_proj",
    "layer_norm1": "ln_1",
    "layer_norm2": "ln_2",
    "mlp.fc1": "mlp.c_fc",
    "mlp.fc2": "mlp.c_proj",
}
# In the order in which open_clip has them one below the other.
_ATTENDING: Final = ("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj")
_POSITIONS: Final = ".position_ids"


def as_open_clip(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Name tensors of a CLIP of the package transformers as open_clip does; leave others alone.

    What neither of them knows keeps its name.
    """
    if _THEIRS not in tensors:
        return dict(tensors)
    found: dict[str, Tensor] = {}
    attending: dict[str, dict[str, Tensor]] = {}
    for name, tensor in tensors.items():
        layer = _LAYER.fullmatch(name)
        if name in _WHOLE:
            found[_WHOLE[name]] = tensor
        elif name in _TURNED:
            found[_TURNED[name]] = tensor.T.contiguous()
        elif layer is not None:
            tower, number, part, kind = layer.groups()
            block = f"{_TOWERS[tower]}.resblocks.{number}"
            if part in _ATTENDING:
                attending.setdefault(f"{block}.attn.in_proj_{kind}", {})[part] = tensor
            else:
                found[f"{block}.{_IN_LAYER.get(part, part)}.{kind}"] = tensor
        elif not name.endswith(_POSITIONS):
            found[name] = tensor
    for name, parts in attending.items():
        if set(parts) == set(_ATTENDING):
            found[name] = torch.cat([parts[one] for one in _ATTENDING])
    return found
