// Package kubernetes holds the manifests of examples/deploy to the types of
// Kubernetes itself. It is a module of its own, so that adsync needs none of them.
package kubernetes

import (
	"bytes"
	"errors"
	"io"
	"os"
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
)

// objects decodes every document strictly: what a type does not know is an error.
func objects(t *testing.T, name string) []runtime.Object {
	t.Helper()
	text, err := os.ReadFile("../../../examples/deploy/kubernetes/" + name)
	if err != nil {
		t.Fatal(err)
	}
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme,
		appsv1.AddToScheme, networkingv1.AddToScheme, policyv1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	strict := json.NewSerializerWithOptions(json.DefaultMetaFactory,
		scheme, scheme, json.SerializerOptions{Yaml: true, Strict: true})
	reader := utilyaml.NewDocumentDecoder(io.NopCloser(bytes.NewReader(text)))
	var all []runtime.Object
	for {
		document := make([]byte, len(text))
		n, err := reader.Read(document)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		object, _, err := strict.Decode(document[:n], nil, nil)
		if err != nil {
			t.Fatalf("%v:\n%s", err, document[:n])
		}
		all = append(all, object)
	}
}

func TestManifestsAreStrict(t *testing.T) {
	all := objects(t, "adsync.yaml")
	if len(all) < 8 {
		t.Fatalf("%d objects; want namespace, secret, config, account, volume, deployment, service and network",
			len(all))
	}
	for _, o := range all {
		d, ok := o.(*appsv1.Deployment)
		if !ok {
			continue
		}
		if *d.Spec.Replicas != 1 || d.Spec.Strategy.Type != appsv1.RecreateDeploymentStrategyType {
			t.Errorf("%d replicas, strategy %s; want one at a time", *d.Spec.Replicas, d.Spec.Strategy.Type)
		}
		refersOnlyToWhatIsHere(t, all, d.Spec.Template.Spec)
	}
}

// Replicas have names that last and no volume that does, and one of them at most is taken away.
func TestReplicasAreStrict(t *testing.T) {
	all := objects(t, "replicas.yaml")
	budgets, sets := 0, 0
	for _, o := range all {
		switch o := o.(type) {
		case *policyv1.PodDisruptionBudget:
			budgets++
			if o.Spec.MaxUnavailable.IntValue() != 1 {
				t.Errorf("%v may be away; want 1", o.Spec.MaxUnavailable)
			}
		case *corev1.PersistentVolumeClaim:
			t.Error("a volume is claimed; want all that lasts in the database")
		case *appsv1.StatefulSet:
			sets++
			if *o.Spec.Replicas != 3 || len(o.Spec.VolumeClaimTemplates) != 0 {
				t.Errorf("%d replicas, %d claims; want 3 and none", *o.Spec.Replicas, len(o.Spec.VolumeClaimTemplates))
			}
			if !slices.ContainsFunc(all, func(other runtime.Object) bool {
				s, ok := other.(*corev1.Service)
				return ok && s.Name == o.Spec.ServiceName && s.Spec.ClusterIP == corev1.ClusterIPNone
			}) {
				t.Errorf("no service %s without an address", o.Spec.ServiceName)
			}
			refersOnlyToWhatIsHere(t, all, o.Spec.Template.Spec)
		}
	}
	if budgets != 1 || sets != 1 {
		t.Errorf("%d budgets, %d sets; want one each", budgets, sets)
	}
}

// refersOnlyToWhatIsHere wants the account and the volumes of a pod among all objects, and each volume mounted.
func refersOnlyToWhatIsHere(t *testing.T, all []runtime.Object, pod corev1.PodSpec) {
	t.Helper()
	named := map[string]bool{}
	for _, o := range all {
		switch o := o.(type) {
		case *corev1.Secret:
			named["secret "+o.Name] = true
		case *corev1.ConfigMap:
			named["config "+o.Name] = true
		case *corev1.PersistentVolumeClaim:
			named["claim "+o.Name] = true
		case *corev1.ServiceAccount:
			named["account "+o.Name] = true
		}
	}
	if !named["account "+pod.ServiceAccountName] {
		t.Errorf("no service account %s", pod.ServiceAccountName)
	}
	mounts := pod.Containers[0].VolumeMounts
	for _, v := range pod.Volumes {
		switch {
		case v.Secret != nil && !named["secret "+v.Secret.SecretName],
			v.ConfigMap != nil && !named["config "+v.ConfigMap.Name],
			v.PersistentVolumeClaim != nil && !named["claim "+v.PersistentVolumeClaim.ClaimName]:
			t.Errorf("volume %s is of nothing that is here", v.Name)
		case !slices.ContainsFunc(mounts, func(m corev1.VolumeMount) bool { return m.Name == v.Name }):
			t.Errorf("volume %s is mounted nowhere", v.Name)
		}
	}
}

// The pod passes what the namespace enforces.
func TestPodIsRestricted(t *testing.T) {
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range append(objects(t, "adsync.yaml"), objects(t, "replicas.yaml")...) {
		var pod *corev1.PodTemplateSpec
		switch o := o.(type) {
		case *appsv1.Deployment:
			pod = &o.Spec.Template
		case *appsv1.StatefulSet:
			pod = &o.Spec.Template
		}
		if pod != nil {
			level := api.LevelVersion{Level: api.LevelRestricted, Version: api.LatestVersion()}
			for _, r := range evaluator.EvaluatePod(level, &pod.ObjectMeta, &pod.Spec) {
				if !r.Allowed {
					t.Errorf("%s: %s", r.ForbiddenReason, r.ForbiddenDetail)
				}
			}
		}
	}
}
